import type { Migration } from "./migration.js";

/** Imports that are there whole or not at all, and deleting a conversation. */
export const wholeImports: Migration = {
  version: 2,
  sql: `
create table :schema:.import_line (
  tenant text not null,
  import text not null,
  seq bigint not null,
  size integer not null,
  form smallint not null,
  is_boundary boolean not null,
  at timestamptz not null default now(),
  line text not null,
  primary key (tenant, import, seq)
);
alter table :schema:.import_line enable row level security;
alter table :schema:.import_line force row level security;
create policy one_tenant on :schema:.import_line using (tenant = (select :schema:.allowed_tenant(current_user)));
-- Roles that work here already need it too.
do $$
declare
  v_role name;
begin
  for v_role in
    select distinct g.rolname from pg_class c cross join aclexplode(c.relacl) a join pg_roles g on g.oid = a.grantee
    where c.oid = ':schema:.conversation'::regclass and a.privilege_type = 'INSERT' and a.grantee <> c.relowner
  loop
    execute format('grant select, insert, update, delete on :schema:.import_line to %I', v_role);
  end loop;
end $$;

create function :schema:.stage_lines(
  p_tenant text, p_import text, p_seqs bigint[], p_sizes integer[], p_forms smallint[], p_boundaries boolean[], p_lines text[]
) returns void
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  insert into :schema:.import_line (tenant, import, seq, size, form, is_boundary, line)
  select p_tenant, p_import, b.seq, b.size, b.form, b.is_boundary, b.line
  from unnest(p_seqs, p_sizes, p_forms, p_boundaries, p_lines) as b (seq, size, form, is_boundary, line)
  on conflict do nothing;
end $$;

create function :schema:.finish_import(p_tenant text, p_import text, p_conversation text, p_total bigint) returns text
language plpgsql as $$
declare
  v_row :schema:.conversation;
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  if p_total <> (select coalesce(sum(i.size), 0) from :schema:.import_line i
      where i.tenant = p_tenant and i.import = p_import) then
    return 'gone';
  end if;
  insert into :schema:.conversation (tenant, id) values (p_tenant, p_conversation) on conflict do nothing;
  select c.* into v_row from :schema:.conversation c where c.tenant = p_tenant and c.id = p_conversation for update;
  if v_row.head > 0 then
    return 'exists';
  end if;
  if v_row.owner is not null and v_row.expires > clock_timestamp() then
    return 'busy';
  end if;
  with staged as (
    delete from :schema:.import_line i where i.tenant = p_tenant and i.import = p_import returning i.*
  )
  insert into :schema:.entry (tenant, conversation, seq, size, form, is_boundary, line)
  select p_tenant, p_conversation, s.seq, s.size, s.form, s.is_boundary, s.line from staged s order by s.seq;
  update :schema:.conversation c set head = p_total, generation = c.generation + 1, owner = null, expires = null,
    updated_at = clock_timestamp()
  where c.tenant = p_tenant and c.id = p_conversation;
  return 'stored';
end $$;

create function :schema:.drop_imports(p_tenant text, p_import text) returns void
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  delete from :schema:.import_line i where i.tenant = p_tenant and (i.import = p_import or i.import in (
    select o.import from :schema:.import_line o where o.tenant = p_tenant
    group by o.import having max(o.at) < clock_timestamp() - interval '1 hour'));
end $$;

create function :schema:.delete_conversation(p_tenant text, p_conversation text) returns text
language plpgsql as $$
declare
  v_row :schema:.conversation;
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  select c.* into v_row from :schema:.conversation c where c.tenant = p_tenant and c.id = p_conversation for update;
  if v_row.id is null then
    return 'missing';
  end if;
  if v_row.owner is not null and v_row.expires > clock_timestamp() then
    return 'busy';
  end if;
  delete from :schema:.entry e where e.tenant = p_tenant and e.conversation = p_conversation;
  delete from :schema:.document d where d.tenant = p_tenant and d.kind = 'notes' and d.name = p_conversation;
  delete from :schema:.conversation c where c.tenant = p_tenant and c.id = p_conversation;
  return 'deleted';
end $$;
`,
};
