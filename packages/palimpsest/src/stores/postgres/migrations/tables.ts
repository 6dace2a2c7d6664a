import type { Migration } from "./migration.js";

/** Tables, their walls between tenants, and what is asked of them. */
export const tables: Migration = {
  version: 1,
  sql: `
create table :schema:.conversation (
  tenant text not null,
  id text not null,
  head bigint not null default 0,
  generation bigint not null default 0,
  owner text,
  expires timestamptz,
  interrupted boolean not null default false,
  last_batch text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant, id)
) with (fillfactor = 70);

create table :schema:.entry (
  tenant text not null,
  conversation text not null,
  seq bigint not null,
  size integer not null,
  form smallint not null,
  is_boundary boolean not null,
  key text,
  at timestamptz not null default now(),
  line text not null,
  primary key (tenant, conversation, seq)
):partition:;
create index entry_boundary on :schema:.entry (tenant, conversation, seq) where is_boundary;
create index entry_key on :schema:.entry (tenant, conversation, key) where key is not null;
:partitions:

create table :schema:.waiter (
  tenant text not null,
  conversation text not null,
  ticket bigint generated always as identity,
  owner text not null,
  expires timestamptz not null,
  primary key (tenant, conversation, owner)
);

create table :schema:.document (
  tenant text not null,
  kind text not null,
  name text not null,
  content text not null,
  updated_at timestamptz not null default now(),
  primary key (tenant, kind, name)
);

create table :schema:.stand_in (
  tenant text not null,
  key bytea not null,
  value text not null,
  from_key bytea,
  used_at timestamptz not null default now(),
  primary key (tenant, key)
);

create table :schema:.tenant_role (
  role name not null,
  tenant text not null,
  primary key (role, tenant)
);

create function :schema:.allowed_tenant(p_role name) returns text
language sql stable security definer set search_path = :schema:, pg_temp as $$
  select nullif(current_setting('palimpsest.tenant', true), '') where
    not exists (select from tenant_role where role = p_role)
    or exists (select from tenant_role where role = p_role and tenant = current_setting('palimpsest.tenant', true))
$$;

alter table :schema:.conversation enable row level security;
alter table :schema:.conversation force row level security;
create policy one_tenant on :schema:.conversation using (tenant = (select :schema:.allowed_tenant(current_user)));
alter table :schema:.entry enable row level security;
alter table :schema:.entry force row level security;
create policy one_tenant on :schema:.entry using (tenant = (select :schema:.allowed_tenant(current_user)));
alter table :schema:.waiter enable row level security;
alter table :schema:.waiter force row level security;
create policy one_tenant on :schema:.waiter using (tenant = (select :schema:.allowed_tenant(current_user)));
alter table :schema:.document enable row level security;
alter table :schema:.document force row level security;
create policy one_tenant on :schema:.document using (tenant = (select :schema:.allowed_tenant(current_user)));

alter table :schema:.stand_in enable row level security;
alter table :schema:.stand_in force row level security;
create policy one_tenant on :schema:.stand_in using (tenant = (select :schema:.allowed_tenant(current_user)));

create function :schema:.take(
  p_tenant text, p_conversation text, p_owner text, p_ttl integer, p_mode text
) returns table (status text, generation bigint, head bigint, holder text, expires_in double precision)
language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_row :schema:.conversation;
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  insert into :schema:.conversation (tenant, id) values (p_tenant, p_conversation) on conflict do nothing;
  select c.* into v_row from :schema:.conversation c where c.tenant = p_tenant and c.id = p_conversation for update;
  v_now := clock_timestamp();
  if p_mode <> 'reject' then
    insert into :schema:.waiter (tenant, conversation, owner, expires)
    values (p_tenant, p_conversation, p_owner, v_now + interval '15 seconds')
    on conflict (tenant, conversation, owner) do update set expires = excluded.expires;
  end if;
  delete from :schema:.waiter w where w.tenant = p_tenant and w.conversation = p_conversation and w.expires < v_now;
  if v_row.owner is not null and v_row.expires > v_now or exists (
    select from :schema:.waiter w where w.tenant = p_tenant and w.conversation = p_conversation and w.owner <> p_owner
    and w.ticket < coalesce((select m.ticket from :schema:.waiter m
      where m.tenant = p_tenant and m.conversation = p_conversation and m.owner = p_owner), 9223372036854775807)
  ) then
    if p_mode = 'interrupt' and v_row.owner is not null and not v_row.interrupted then
      update :schema:.conversation c set interrupted = true where c.tenant = p_tenant and c.id = p_conversation;
    end if;
    return query select 'busy', v_row.generation, v_row.head, v_row.owner,
      extract(epoch from v_row.expires - v_now)::double precision * 1000;
    return;
  end if;
  delete from :schema:.waiter w where w.tenant = p_tenant and w.conversation = p_conversation and w.owner = p_owner;
  update :schema:.conversation c set owner = p_owner, generation = c.generation + 1, interrupted = false, last_batch = null,
    expires = v_now + p_ttl * interval '1 millisecond'
  where c.tenant = p_tenant and c.id = p_conversation
  returning 'taken', c.generation, c.head, c.owner, p_ttl::double precision
  into status, generation, head, holder, expires_in;
  return next;
end $$;

create function :schema:.leave_queue(p_tenant text, p_conversation text, p_owner text) returns void
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  delete from :schema:.waiter w where w.tenant = p_tenant and w.conversation = p_conversation and w.owner = p_owner;
end $$;

create function :schema:.renew(
  p_tenant text, p_conversation text, p_owner text, p_generation bigint, p_ttl integer
) returns table (held boolean, interrupted boolean)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  update :schema:.conversation c set expires = clock_timestamp() + p_ttl * interval '1 millisecond'
  where c.tenant = p_tenant and c.id = p_conversation and c.owner = p_owner and c.generation = p_generation
    and c.expires > clock_timestamp()
  returning true, c.interrupted into held, interrupted;
  if not found then
    held := false;
    interrupted := false;
  end if;
  return next;
end $$;

create function :schema:.release(p_tenant text, p_conversation text, p_owner text, p_generation bigint) returns void
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  update :schema:.conversation c set owner = null, expires = null, interrupted = false
  where c.tenant = p_tenant and c.id = p_conversation and c.owner = p_owner and c.generation = p_generation;
end $$;

create function :schema:.append(
  p_tenant text, p_conversation text, p_owner text, p_generation bigint, p_ttl integer, p_head bigint, p_total bigint,
  p_batch text, p_key text, p_seqs bigint[], p_sizes integer[], p_forms smallint[], p_boundaries boolean[], p_lines text[]
) returns text
language plpgsql as $$
declare
  v_row :schema:.conversation;
  v_status text;
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  update :schema:.conversation c set
    head = p_head + p_total,
    expires = clock_timestamp() + p_ttl * interval '1 millisecond',
    last_batch = p_batch,
    updated_at = clock_timestamp()
  where c.tenant = p_tenant and c.id = p_conversation and c.owner = p_owner and c.generation = p_generation
    and c.head = p_head and c.expires > clock_timestamp()
    and (p_key is null or not exists (
      select from :schema:.entry e where e.tenant = p_tenant and e.conversation = p_conversation and e.key = p_key))
  returning c.* into v_row;
  if found then
    insert into :schema:.entry (tenant, conversation, seq, size, form, is_boundary, key, line)
    select p_tenant, p_conversation, b.seq, b.size, coalesce(b.form, 0), coalesce(b.is_boundary, false),
      case when b.seq = p_head then p_key end, b.line
    from unnest(p_seqs, p_sizes, p_forms, p_boundaries, p_lines) as b (seq, size, form, is_boundary, line);
    return 'stored ' || v_row.head || ' ' || v_row.interrupted;
  end if;
  select c.* into v_row from :schema:.conversation c where c.tenant = p_tenant and c.id = p_conversation;
  if v_row.id is null or v_row.owner is distinct from p_owner or v_row.generation <> p_generation
    or v_row.expires <= clock_timestamp() then
    v_status := 'lost';
  elsif v_row.last_batch = p_batch or (p_key is not null and exists (
      select from :schema:.entry e where e.tenant = p_tenant and e.conversation = p_conversation and e.key = p_key)) then
    v_status := 'repeated';
  else
    v_status := 'moved';
  end if;
  return v_status || ' ' || coalesce(v_row.head, 0) || ' ' || coalesce(v_row.interrupted, false);
end $$;

create function :schema:.read_tail(p_tenant text, p_conversation text)
returns table (head bigint, seq bigint, size integer, form smallint, line text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  return query
    select c.head, e.seq, e.size, e.form, e.line
    from :schema:.conversation c left join :schema:.entry e on e.tenant = c.tenant and e.conversation = c.id and e.seq >= coalesce((
      select max(b.seq) from :schema:.entry b where b.tenant = p_tenant and b.conversation = p_conversation and b.is_boundary), 0)
    where c.tenant = p_tenant and c.id = p_conversation
    order by e.seq;
end $$;

create function :schema:.read_range(p_tenant text, p_conversation text, p_from bigint, p_to bigint)
returns table (seq bigint, size integer, form smallint, line text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  return query
    select e.seq, e.size, e.form, e.line from :schema:.entry e
    where e.tenant = p_tenant and e.conversation = p_conversation and e.seq < p_to and e.seq >= coalesce((
      select max(b.seq) from :schema:.entry b where b.tenant = p_tenant and b.conversation = p_conversation and b.seq <= p_from), 0)
    order by e.seq;
end $$;

create function :schema:.read_after(p_tenant text, p_conversation text, p_from bigint, p_most integer)
returns table (seq bigint, size integer, form smallint, line text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  return query
    select e.seq, e.size, e.form, e.line from :schema:.entry e
    where e.tenant = p_tenant and e.conversation = p_conversation and e.seq >= p_from
    order by e.seq limit p_most;
end $$;

create function :schema:.head_of(p_tenant text, p_conversation text) returns bigint
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  return (select c.head from :schema:.conversation c where c.tenant = p_tenant and c.id = p_conversation);
end $$;

create function :schema:.list(p_tenant text)
returns table (id text, bytes bigint, updated_at double precision)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  return query select c.id, c.head, extract(epoch from c.updated_at)::double precision * 1000
    from :schema:.conversation c where c.tenant = p_tenant order by c.updated_at desc, c.id;
end $$;

create function :schema:.read_document(p_tenant text, p_kind text, p_name text) returns text
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  return (select d.content from :schema:.document d where d.tenant = p_tenant and d.kind = p_kind and d.name = p_name);
end $$;

create function :schema:.write_document(p_tenant text, p_kind text, p_name text, p_content text, p_first boolean)
returns text
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  if p_first then
    insert into :schema:.document (tenant, kind, name, content) values (p_tenant, p_kind, p_name, p_content)
    on conflict do nothing;
    return (select d.content from :schema:.document d where d.tenant = p_tenant and d.kind = p_kind and d.name = p_name);
  end if;
  insert into :schema:.document (tenant, kind, name, content) values (p_tenant, p_kind, p_name, p_content)
  on conflict (tenant, kind, name) do update set content = excluded.content, updated_at = clock_timestamp();
  return p_content;
end $$;

create function :schema:.find_stand_in(p_tenant text, p_keys bytea[])
returns table (place integer, depth integer, value text, is_whole boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  v_key bytea;
  v_place integer := 0;
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  foreach v_key in array p_keys loop
    v_place := v_place + 1;
    continue when not exists (select from :schema:.stand_in s where s.tenant = p_tenant and s.key = v_key);
    return query
      with recursive chain as (
        select s.key, s.value, s.from_key, 1 as depth from :schema:.stand_in s
        where s.tenant = p_tenant and s.key = v_key
        union all
        select s.key, s.value, s.from_key, c.depth + 1 from chain c
        join :schema:.stand_in s on s.tenant = p_tenant and s.key = c.from_key
        where c.depth < 100000
      ) cycle key set is_cycle using path
      select v_place, c.depth, c.value, c.from_key is null and not c.is_cycle from chain c order by c.depth desc;
    if (select bool_or(s.used_at < now() - interval '1 hour') from :schema:.stand_in s
        where s.tenant = p_tenant and s.key = v_key) then
      update :schema:.stand_in s set used_at = now() where s.tenant = p_tenant and s.key = v_key;
    end if;
  end loop;
end $$;

create function :schema:.insert_stand_in(p_tenant text, p_key bytea, p_value text, p_from bytea) returns text
language plpgsql as $$
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  insert into :schema:.stand_in (tenant, key, value, from_key) values (p_tenant, p_key, p_value, p_from)
  on conflict do nothing;
  return (select s.value from :schema:.stand_in s where s.tenant = p_tenant and s.key = p_key);
end $$;

create function :schema:.purge_stand_ins(p_tenant text, p_before timestamptz) returns integer
language plpgsql as $$
declare
  v_count integer;
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  delete from :schema:.stand_in s where s.tenant = p_tenant and s.used_at < p_before;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

create function :schema:.purge(
  p_tenant text, p_conversation text, p_floor bigint, p_before timestamptz, p_most integer
) returns integer
language plpgsql as $$
declare
  v_count integer;
begin
  perform set_config('palimpsest.tenant', p_tenant, true);
  delete from :schema:.entry e where (e.tenant, e.conversation, e.seq) in (
    select o.tenant, o.conversation, o.seq from :schema:.entry o
    where o.tenant = p_tenant and o.conversation = p_conversation and o.seq < p_floor and not o.is_boundary
      and o.at < p_before
    order by o.seq limit p_most);
  get diagnostics v_count = row_count;
  return v_count;
end $$;
`,
};
