/** What keeps a file from being shown. */
export type FileRefusal =
  /** It does not exist any more. */
  | "gone"
  /** No file (a directory, a device, a pipe), or the disk failed. */
  | "unreadable"
  | "binary"
  /** It lies outside the roots that the agent may see, as far as links lead. */
  | "outside"
  /** The system or the host forbids it. */
  | "denied"
  /** What was asked for lies further inside than may be searched. */
  | "too-large";

export interface FileText {
  readonly kind: "text";
  /** As the read tool shows it. */
  readonly content: string;
  /** How many lines of the file `content` shows. */
  readonly lines: number;
  /** More follows that was asked for and that a limit cut off. */
  readonly isTruncated: boolean;
  /** When the file was last changed, taken before its text was: milliseconds since the epoch. */
  readonly mtime: number;
}

/** A file that is a picture, where one was asked for. */
export interface FilePicture {
  readonly kind: "picture";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  /** As of a text. */
  readonly mtime: number;
}

export type FileReadOutcome = FileText | FilePicture | { readonly kind: FileRefusal };

export interface FileReadOptions {
  /** The first line, counted from 1. */
  readonly offset?: number;
  /** How many lines. Default: as many as the read tool shows. */
  readonly limit?: number;
  /** No more characters than these are needed: a large file is not read any further. */
  readonly maxCharacters?: number;
  /** A picture that a model can be shown comes as one. Default: it is `binary`, like all that is not text. */
  readonly takesPictures?: boolean;
  /** Each line with its number and a tab before it. Default true. */
  readonly isNumbered?: boolean;
  readonly signal?: AbortSignal;
}

/** The agent's own way to files, with its roots, permissions and limits. Neither method ever rejects. */
export interface FileAccess {
  readonly read: (path: string, options?: FileReadOptions) => Promise<FileReadOutcome>;
  /** Undefined for what is no file, or none that the agent may see. */
  readonly stat: (path: string) => Promise<{ readonly mtime: number } | undefined>;
}
