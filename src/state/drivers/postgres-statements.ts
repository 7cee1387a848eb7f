/** The tables and statements of the postgres driver. A released migration is never changed; a new one is added at the end. */
export const MIGRATIONS: readonly string[] = [
  `create table reprise_state_sessions (session text collate "C" primary key);
   create table reprise_state_heads (
     session text collate "C" not null, key text collate "C" not null, number bigint not null, hash text, content bytea,
     writer text not null, instance text, updated_at bigint not null,
     primary key (session, key)
   );
   create table reprise_state_past (
     session text collate "C" not null, key text collate "C" not null, number bigint not null, hash text, content bytea,
     writer text not null, instance text, updated_at bigint not null,
     primary key (session, key, number)
   );`,
]

const COLUMNS = 'session, key, number, hash, content, writer, instance, updated_at'

/**
 * One write in one statement, where the answer is plain: no clash, and the version, the writer and the policy leave no doubt. No row back: look closer.
 * $1 session, $2 key, $3 hash, $4 content, $5 writer, $6 instance, $7 time, $8 parents, $9 history limit, $10 must be at number, $11 with the start of its hash,
 * $12 may overwrite anything.
 */
const WRITE = `
  with clash as (
    select 1 from reprise_state_heads where session = $1 and hash is not null and (key = any($8) or (key > $2 || '/' and key < $2 || '0')) limit 1
  ), old as (
    select * from reprise_state_heads where session = $1 and key = $2
  ), allowed as (
    select 1 where not exists (select 1 from clash) and case
      when $12 then true
      when $10::bigint is null then not exists (select 1 from old where hash is not null)
      else exists (select 1 from old where number = $10 and left(hash, 16) = $11)
    end
  ), kept as (
    insert into reprise_state_past (${COLUMNS}) select ${COLUMNS} from old where exists (select 1 from allowed) and $9 > 0
  ), dropped as (
    delete from reprise_state_past p using old where p.session = $1 and p.key = $2 and p.number < old.number + 1 - $9 and exists (select 1 from allowed)
  )
  insert into reprise_state_heads as h (${COLUMNS})
  select $1, $2, coalesce((select number from old), 0) + 1, $3, $4, $5, $6, $7 from allowed
  on conflict (session, key) do update set number = excluded.number, hash = excluded.hash, content = excluded.content,
    writer = excluded.writer, instance = excluded.instance, updated_at = excluded.updated_at
  returning number`

export const STATEMENTS = {
  createSession: 'insert into reprise_state_sessions (session) values ($1) on conflict do nothing',
  hasSession: 'select 1 from reprise_state_sessions where session = $1',
  lockSession: 'select 1 from reprise_state_sessions where session = $1 for update',
  sessions: 'select session from reprise_state_sessions order by session',
  load: 'select number, hash, content, writer, instance, updated_at, length(content) as size from reprise_state_heads where session = $1 and key = $2',
  list: 'select key from reprise_state_heads where session = $1 and hash is not null order by key',
  versions: 'select key, number, hash from reprise_state_heads where session = $1 and hash is not null order by key',
  clash: `select key from reprise_state_heads where session = $1 and hash is not null
          and (key = any($3) or (key > $2 || '/' and key < $2 || '0')) order by key limit 1`,
  keep: `insert into reprise_state_past (${COLUMNS}) select ${COLUMNS} from reprise_state_heads where session = $1 and key = $2`,
  put: `insert into reprise_state_heads (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (session, key) do update set number = excluded.number, hash = excluded.hash, content = excluded.content,
        writer = excluded.writer, instance = excluded.instance, updated_at = excluded.updated_at`,
  prune: 'delete from reprise_state_past where session = $1 and key = $2 and number < $3',
  past: 'select number, hash, writer, instance, updated_at, length(content) as size from reprise_state_past where session = $1 and key = $2 order by number',
  version: 'select number, hash, content, writer, instance, updated_at from reprise_state_past where session = $1 and key = $2 and number = $3',
  write: WRITE,
} as const
