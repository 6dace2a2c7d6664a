export { commonEditTool, type NotesEdit, type NotesEditTool } from "./engine/notes/notes-edit.js";
export { notesSections, notesTemplate, type NotesSection } from "./engine/notes/template.js";
export { createMemoryNotesStore } from "./engine/ports/notes-store.js";
export { keepNotes, type KeepNotesOptions } from "./engine/conversation/notes-keeper.js";
