/** The tables and statements of the sqlite driver. A released migration is never changed; a new one is added at the end. */
export const MIGRATIONS: readonly string[] = [
  `create table reprise_state_sessions (session text primary key) strict, without rowid;
   create table reprise_state_heads (
     session text not null, key text not null, number integer not null, hash text, content blob,
     writer text not null, instance text, updated_at integer not null,
     primary key (session, key)
   ) strict, without rowid;
   create table reprise_state_past (
     session text not null, key text not null, number integer not null, hash text, content blob,
     writer text not null, instance text, updated_at integer not null,
     primary key (session, key, number)
   ) strict, without rowid;`,
]

const COLUMNS = 'session, key, number, hash, content, writer, instance, updated_at'

export const STATEMENTS = {
  createSession: 'insert into reprise_state_sessions (session) values (?) on conflict do nothing',
  hasSession: 'select 1 from reprise_state_sessions where session = ?',
  sessions: 'select session from reprise_state_sessions order by session',
  load: 'select number, hash, content, writer, instance, updated_at, length(content) as size from reprise_state_heads where session = ? and key = ?',
  list: 'select key from reprise_state_heads where session = ? and hash is not null order by key',
  versions: 'select key, number, hash from reprise_state_heads where session = ? and hash is not null order by key',
  clash: `select key from reprise_state_heads where session = ?1 and hash is not null
          and (key in (select value from json_each(?2)) or (key > ?3 and key < ?4)) order by key limit 1`,
  keep: `insert into reprise_state_past (${COLUMNS}) select ${COLUMNS} from reprise_state_heads where session = ? and key = ?`,
  put: `insert into reprise_state_heads (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (session, key) do update set number = excluded.number, hash = excluded.hash, content = excluded.content,
        writer = excluded.writer, instance = excluded.instance, updated_at = excluded.updated_at`,
  prune: 'delete from reprise_state_past where session = ? and key = ? and number < ?',
  past: 'select number, hash, writer, instance, updated_at, length(content) as size from reprise_state_past where session = ? and key = ? order by number',
  version: 'select number, hash, content, writer, instance, updated_at from reprise_state_past where session = ? and key = ? and number = ?',
} as const
