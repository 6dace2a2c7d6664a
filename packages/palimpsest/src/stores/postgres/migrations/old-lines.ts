import type { Migration } from "./migration.js";

/** Which conversations hold old lines that are not live, so that retention looks at those alone. */
export const oldLines: Migration = {
  version: 4,
  sql: `
create function :schema:.with_old_lines(p_tenant text, p_after text, p_before timestamptz, p_most integer)
returns table (id text, seq bigint, size integer, form smallint, line text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  return query
    select c.id, b.seq, b.size, b.form, b.line
    from :schema:.conversation c
    cross join lateral (
      select e.seq, e.size, e.form, e.line from :schema:.entry e
      where e.tenant = c.tenant and e.conversation = c.id and e.is_boundary
      order by e.seq desc limit 1) b
    where c.tenant = p_tenant and c.id > p_after
      -- Lines come in the order of their times: where the first one is young, all are.
      and (select o.at from :schema:.entry o
        where o.tenant = c.tenant and o.conversation = c.id and not o.is_boundary
        order by o.seq limit 1) < p_before
    order by c.id limit p_most;
end $$;
`,
};
