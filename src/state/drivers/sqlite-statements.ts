/**
 * The tables and statements of the sqlite driver. A released migration is never changed; a new one is added
 * at the end.
 *
 * `heads` has one small row per key, with the ids of its versions, oldest first; `versions` has one row per
 * version that is kept. When a key has as many as it may keep, the oldest row is written over: the file stops
 * growing, and a write changes two pages and no list of free ones.
 */
export const MIGRATIONS: readonly string[] = [
  `create table reprise_state_sessions (session text primary key) strict, without rowid;
   create table reprise_state_heads (
     session text not null, key text not null, number integer not null, hash text, id integer not null, ids text not null,
     primary key (session, key)
   ) strict, without rowid;
   create table reprise_state_versions (
     id integer primary key, number integer not null, hash text,
     writer text not null, instance text, updated_at integer not null, content blob
   ) strict;`,
]

const HEAD =
  'reprise_state_heads h join reprise_state_versions v on v.id = h.id where h.session = ? and h.key = ?'
const KEPT =
  'reprise_state_heads h, json_each(h.ids) one join reprise_state_versions v on v.id = one.value where h.session = ? and h.key = ?'

export const STATEMENTS = {
  begin: 'begin immediate',
  commit: 'commit',
  createSession: 'insert into reprise_state_sessions (session) values (?) on conflict do nothing',
  hasSession: 'select 1 from reprise_state_sessions where session = ?',
  sessions: 'select session from reprise_state_sessions order by session',
  head: `select h.ids, v.number, v.hash, v.writer, v.instance, v.updated_at from ${HEAD}`,
  load: `select v.number, v.hash, v.writer, v.instance, v.updated_at, v.content from ${HEAD}`,
  list: 'select key from reprise_state_heads where session = ? and hash is not null order by key',
  versions:
    'select key, number, hash from reprise_state_heads where session = ? and hash is not null order by key',
  clash: `select key from reprise_state_heads where session = ?1 and hash is not null
          and (key in (select value from json_each(?2)) or (key > ?3 and key < ?4)) order by key limit 1`,
  add: 'insert into reprise_state_versions (number, hash, content, writer, instance, updated_at) values (?, ?, ?, ?, ?, ?) returning id',
  writeOver:
    'update reprise_state_versions set number = ?, hash = ?, content = ?, writer = ?, instance = ?, updated_at = ? where id = ? returning id',
  drop: 'delete from reprise_state_versions where id = ?',
  point: `insert into reprise_state_heads (session, key, number, hash, id, ids) values (?, ?, ?, ?, ?, ?)
          on conflict (session, key) do update set number = excluded.number, hash = excluded.hash, id = excluded.id, ids = excluded.ids`,
  past: `select v.number, v.hash, v.writer, v.instance, v.updated_at, length(v.content) as size from ${KEPT} order by v.number`,
  version: `select v.number, v.hash, v.writer, v.instance, v.updated_at, v.content from ${KEPT} and v.number = ?`,
} as const
