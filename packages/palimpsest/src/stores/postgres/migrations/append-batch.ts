import type { Migration } from "./migration.js";

/** An append that costs the server a good deal less: lines come as one text, and every plan is made once. */
export const appendBatch: Migration = {
  version: 3,
  sql: `
create function :schema:.append_batch(
  p_tenant text, p_conversation text, p_owner text, p_generation bigint, p_ttl integer, p_head bigint, p_total bigint,
  p_batch text, p_key text, p_seqs bigint[], p_sizes integer[], p_boundaries bigint[], p_lines text
) returns text
language plpgsql as $$
declare
  -- Assigned, not performed: an assignment of one expression does without a query.
  v_tenant text := set_config('palimpsest.tenant', p_tenant, true);
  v_row :schema:.conversation;
  v_interrupted boolean;
  v_is_held boolean := false;
begin
  -- Apart from the update, whose plan would otherwise be made anew at every call.
  if p_key is not null then
    v_is_held := exists (
      select from :schema:.entry e where e.tenant = p_tenant and e.conversation = p_conversation and e.key = p_key);
  end if;
  if not v_is_held then
    update :schema:.conversation c set
      head = p_head + p_total,
      expires = clock_timestamp() + p_ttl * interval '1 millisecond',
      last_batch = p_batch,
      updated_at = clock_timestamp()
    where c.tenant = p_tenant and c.id = p_conversation and c.owner = p_owner and c.generation = p_generation
      and c.head = p_head and c.expires > clock_timestamp()
    returning c.interrupted into v_interrupted;
    if found then
      insert into :schema:.entry (tenant, conversation, seq, size, form, is_boundary, key, line)
      select p_tenant, p_conversation, b.seq, b.size, 0, b.seq = any (p_boundaries),
        case when b.seq = p_head then p_key end, b.line
      from unnest(p_seqs, p_sizes, string_to_array(p_lines, E'\\n')) as b (seq, size, line);
      return 'stored ' || p_head + p_total || ' ' || v_interrupted;
    end if;
  end if;
  select c.* into v_row from :schema:.conversation c where c.tenant = p_tenant and c.id = p_conversation;
  return case
    when v_row.id is null or v_row.owner is distinct from p_owner or v_row.generation <> p_generation
      or v_row.expires <= clock_timestamp() then 'lost'
    when v_is_held or v_row.last_batch = p_batch then 'repeated'
    else 'moved'
  end || ' ' || coalesce(v_row.head, 0) || ' ' || coalesce(v_row.interrupted, false);
end $$;
`,
};
