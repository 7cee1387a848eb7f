/**
 * The tables and statements of the postgres driver. A released migration is never changed; a new one is added
 * at the end.
 *
 * `heads` has one small row per key, whose update changes no index; `entries` one row per version,
 * under the number that the key has in `heads` and the version's own. Nothing is copied.
 *
 * Decision 0230.
 */
export const MIGRATIONS: readonly string[] = [
  `create table reprise_state_sessions (session text collate "C" primary key);
   create table reprise_state_heads (
     session text collate "C" not null, key text collate "C" not null, number bigint not null, hash text, id bigint not null,
     primary key (session, key)
   );
   create table reprise_state_versions (
     id bigint generated always as identity primary key, previous bigint, number bigint not null, hash text,
     writer text not null, instance text, updated_at bigint not null, content bytea
   );`,
  // Versions were a chain of ids, each naming the one before it. What no chain reaches was superseded and on
  // its way out.
  `alter table reprise_state_heads add column ref bigint generated always as identity;
   create table reprise_state_entries (
     ref bigint not null, number bigint not null, hash text, writer text not null, instance text, updated_at bigint not null, content bytea,
     primary key (ref, number)
   );
   with recursive chain (ref, id) as (
     select ref, id from reprise_state_heads
     union all select chain.ref, v.previous from chain join reprise_state_versions v on v.id = chain.id where v.previous is not null
   )
   insert into reprise_state_entries (ref, number, hash, writer, instance, updated_at, content)
     select chain.ref, v.number, v.hash, v.writer, v.instance, v.updated_at, v.content from chain join reprise_state_versions v on v.id = chain.id;
   drop table reprise_state_versions;
   alter table reprise_state_heads drop column id;
   alter table reprise_state_heads set (fillfactor = 50);`,
]

const KEPT =
  'reprise_state_heads h join reprise_state_entries e on e.ref = h.ref where h.session = $1 and h.key = $2'
const COLUMNS = '(ref, number, hash, content, writer, instance, updated_at)'

/**
 * The usual write, over a key that is there: no clash can be. No row touched: it is not there, or not at that
 * version. $1 session, $2 key, $3 hash, $4 content, $5 writer, $6 instance, $7 time. The number of the new
 * version is the next, so one who named the old one needs no row back.
 */
const overwriting = (condition: string): string => `
  with head as (
    update reprise_state_heads set number = number + 1, hash = $3 where session = $1 and key = $2 and ${condition}
    returning ref, number
  )
  insert into reprise_state_entries ${COLUMNS} select ref, number, $3, $4, $5, $6, $7 from head`

/**
 * A write that may make the key, in one statement, where the answer is plain: no clash, and no such key
 * unless it may be written over. No row back: look closer. $1 session, $2 key, $3 hash, $4 content, $5
 * writer, $6 instance, $7 time, $8 parents, $9 may overwrite.
 */
const WRITE = `
  with old as (
    select number, hash from reprise_state_heads where session = $1 and key = $2
  ), allowed as (
    select 1 where case when exists (select 1 from old where hash is not null) then $9 else not exists (
      select 1 from reprise_state_heads where session = $1 and hash is not null and (key = any($8) or (key > $2 || '/' and key < $2 || '0'))
    ) end
  ), head as (
    insert into reprise_state_heads (session, key, number, hash) select $1, $2, coalesce((select number from old), 0) + 1, $3 from allowed
    on conflict (session, key) do update set number = excluded.number, hash = excluded.hash
    returning ref, number
  )
  insert into reprise_state_entries ${COLUMNS} select ref, number, $3, $4, $5, $6, $7 from head
  returning number`

export const STATEMENTS = {
  createSession: 'insert into reprise_state_sessions (session) values ($1) on conflict do nothing',
  hasSession: 'select 1 from reprise_state_sessions where session = $1',
  lockSession: 'select 1 from reprise_state_sessions where session = $1 for update',
  sessions: 'select session from reprise_state_sessions order by session',
  load: `select e.number, e.hash, e.writer, e.instance, e.updated_at, e.content from ${KEPT} and e.number = h.number`,
  list: 'select key from reprise_state_heads where session = $1 and hash is not null order by key',
  versions:
    'select key, number, hash from reprise_state_heads where session = $1 and hash is not null order by key',
  clash: `select key from reprise_state_heads where session = $1 and hash is not null
          and (key = any($3) or (key > $2 || '/' and key < $2 || '0')) order by key limit 1`,
  put: `with head as (
          insert into reprise_state_heads (session, key, number, hash) values ($1, $2, $3, $4)
          on conflict (session, key) do update set number = excluded.number, hash = excluded.hash
          returning ref
        )
        insert into reprise_state_entries ${COLUMNS} select ref, $3, $4, $5, $6, $7, $8 from head`,
  past: `select e.number, e.hash, e.writer, e.instance, e.updated_at, length(e.content) as size
         from ${KEPT} and e.number >= h.number - $3::bigint order by e.number`,
  version: `select e.number, e.hash, e.writer, e.instance, e.updated_at, e.content
            from ${KEPT} and e.number >= h.number - $3::bigint and e.number = $4`,
  prune: `delete from reprise_state_entries e using reprise_state_heads h
          where h.session = $1 and h.key = $2 and e.ref = h.ref and e.number < h.number - $3::bigint`,
  /** $8 must be at this number, $9 with this start of its hash. */
  advance: overwriting('number = $8 and left(hash, 16) = $9'),
  overwrite: `${overwriting('hash is not null')} returning number`,
  write: WRITE,
} as const
