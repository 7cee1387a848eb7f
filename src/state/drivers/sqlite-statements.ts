/**
 * The tables and statements of the sqlite driver. A released migration is never changed; a new one is added at the end.
 *
 * `heads` has one small row per key, `versions` one row per write, each with the id of the one before it: history is a chain, so a write adds to the end
 * of one table and changes one row of another, and keeps no index of contents. Nothing is copied when a version is superseded.
 */
export const MIGRATIONS: readonly string[] = [
  `create table reprise_state_sessions (session text primary key) strict, without rowid;
   create table reprise_state_heads (
     session text not null, key text not null, number integer not null, hash text, id integer not null,
     primary key (session, key)
   ) strict, without rowid;
   create table reprise_state_versions (
     id integer primary key, previous integer, number integer not null, hash text,
     writer text not null, instance text, updated_at integer not null, content blob
   ) strict;`,
]

const HEAD = 'reprise_state_heads h join reprise_state_versions v on v.id = h.id where h.session = ? and h.key = ?'
const CHAIN = `with recursive chain (id, depth) as (
    select id, 0 from reprise_state_heads where session = ? and key = ?
    union all select v.previous, depth + 1 from chain join reprise_state_versions v on v.id = chain.id where v.previous is not null and depth < ?
  )`

export const STATEMENTS = {
  begin: 'begin immediate',
  commit: 'commit',
  createSession: 'insert into reprise_state_sessions (session) values (?) on conflict do nothing',
  hasSession: 'select 1 from reprise_state_sessions where session = ?',
  sessions: 'select session from reprise_state_sessions order by session',
  head: `select v.id, v.number, v.hash, v.writer, v.instance, v.updated_at from ${HEAD}`,
  load: `select v.id, v.number, v.hash, v.writer, v.instance, v.updated_at, v.content from ${HEAD}`,
  list: 'select key from reprise_state_heads where session = ? and hash is not null order by key',
  versions: 'select key, number, hash from reprise_state_heads where session = ? and hash is not null order by key',
  clash: `select key from reprise_state_heads where session = ?1 and hash is not null
          and (key in (select value from json_each(?2)) or (key > ?3 and key < ?4)) order by key limit 1`,
  add: `insert into reprise_state_versions (previous, number, hash, content, writer, instance, updated_at) values (?, ?, ?, ?, ?, ?, ?) returning id`,
  point: `insert into reprise_state_heads (session, key, number, hash, id) values (?, ?, ?, ?, ?)
          on conflict (session, key) do update set number = excluded.number, hash = excluded.hash, id = excluded.id`,
  past: `${CHAIN} select number, hash, writer, instance, updated_at, length(content) as size
         from chain join reprise_state_versions v on v.id = chain.id order by number`,
  version: `${CHAIN} select number, hash, writer, instance, updated_at, content
            from chain join reprise_state_versions v on v.id = chain.id where number = ?`,
  prune: `${CHAIN} delete from reprise_state_versions where id in (select id from chain where depth > ?)`,
} as const
