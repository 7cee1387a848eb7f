/**
 * Agent state: sessions, their keys with owners, the versions of a key with their differences, and the
 * handoff.
 */
import { useState } from 'preact/hooks'
import type {
  StateHandoff,
  StateKey,
  StateOwner,
  StateVersion,
  ViewerItem,
  ViewerLocation,
} from '../../../protocol.ts'
import { formatJson } from '../../data/content.ts'
import { formatBytes, formatCount, formatWall } from '../../data/format.ts'
import { source } from '../../data/source.ts'
import { goTo } from '../../model/location.ts'
import { useResource } from '../../model/resource.ts'
import { versionOf } from '../../model/viewer.ts'
import { ContentDiff } from '../../parts/content-diff.tsx'
import { ContentView } from '../../parts/content-view.tsx'
import { JsonText } from '../../parts/json-text.tsx'
import { Chip, Facts, Section } from '../../parts/section.tsx'
import { Empty, Fetched } from '../../parts/states.tsx'
import { FindingsPanel } from '../overview/findings-panel.tsx'

type StatePlace = Extract<ViewerLocation, { view: 'state' }>

export default function StateView({
  item,
  place,
}: {
  readonly item: ViewerItem
  readonly place: StatePlace | null
}) {
  const document = useResource(() => source().state(item.id), [item.id, versionOf(item.id)], {
    keepOld: true,
  })
  return (
    <Fetched of={document} what="the state">
      {(state) => {
        const session = place?.session ?? state.sessions[0] ?? null
        const open = (change: Partial<StatePlace>): void =>
          goTo({ view: 'state', item: item.id, session, key: place?.key ?? null, version: null, ...change })
        return (
          <div class="page state-view">
            <header>
              <p class="eyebrow truncate">{state.path}</p>
              <div class="chips">
                <Chip>{state.backend}</Chip>
                <Chip>
                  {state.sessions.length === 1
                    ? '1 session'
                    : `${formatCount(state.sessions.length)} sessions`}
                </Chip>
              </div>
            </header>
            <FindingsPanel findings={state.findings} />
            {session === null ? (
              <Empty title="No session is stored here." />
            ) : (
              <>
                <label class="field">
                  <span class="muted">Session</span>
                  <select
                    value={session}
                    onChange={(event) => open({ session: event.currentTarget.value, key: null })}
                  >
                    {state.sessions.map((name) => (
                      <option key={name}>{name}</option>
                    ))}
                  </select>
                </label>
                <Session
                  item={item.id}
                  session={session}
                  chosen={place?.key ?? null}
                  onOpen={(key) => open({ key })}
                />
              </>
            )}
          </div>
        )
      }}
    </Fetched>
  )
}

type SessionProps = {
  readonly item: string
  readonly session: string
  readonly chosen: string | null
  readonly onOpen: (key: string | null) => void
}

function Session({ item, session, chosen, onOpen }: SessionProps) {
  const loaded = useResource(() => source().stateSession(item, session), [item, session, versionOf(item)], {
    keepOld: true,
  })
  return (
    <Fetched of={loaded} what="the session">
      {({ keys, keysMore, handoff, handoffProblem }) => (
        <>
          {handoffProblem === null ? null : (
            <p class="callout callout-bad">The handoff could not be read: {handoffProblem}</p>
          )}
          {handoff === null ? null : <Handoff handoff={handoff} />}
          <div class="state-columns">
            <Section title="Keys" note={formatCount(keys.length + keysMore)}>
              <table class="grid">
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    <th scope="col">Owner</th>
                    <th scope="col" class="number">
                      Versions
                    </th>
                    <th scope="col" class="number">
                      Size
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {keys.map((key) => (
                    <KeyRow key={key.key} entry={key} current={key.key === chosen} onOpen={onOpen} />
                  ))}
                </tbody>
              </table>
              {keysMore > 0 ? <p class="faint">and {formatCount(keysMore)} more</p> : null}
              {keys.length === 0 ? <p class="faint">This session has no keys.</p> : null}
            </Section>
            {chosen === null ? null : <History key={chosen} item={item} session={session} name={chosen} />}
          </div>
        </>
      )}
    </Fetched>
  )
}

function KeyRow({
  entry,
  current,
  onOpen,
}: {
  readonly entry: StateKey
  readonly current: boolean
  readonly onOpen: (key: string) => void
}) {
  return (
    <tr aria-current={current}>
      <th scope="row">
        <button type="button" class="quiet mono" onClick={() => onOpen(entry.key)}>
          {entry.key}
        </button>
      </th>
      <td>{ownerText(entry.owner)}</td>
      <td class="number">{formatCount(entry.versions)}</td>
      <td class="number">{formatBytes(entry.sizeBytes)}</td>
    </tr>
  )
}

function History({
  item,
  session,
  name,
}: {
  readonly item: string
  readonly session: string
  readonly name: string
}) {
  const history = useResource(
    async () => [...(await source().stateHistory(item, session, name))].reverse(),
    [item, session, name, versionOf(item)],
    { keepOld: true },
  )
  return (
    <Section title={name}>
      <Fetched of={history} what="the history">
        {(versions) => (
          <ol class="versions">
            {versions.map((version, n) => (
              <Version
                key={version.version}
                item={item}
                version={version}
                older={versions[n + 1] ?? null}
                openFirst={n === 0}
              />
            ))}
          </ol>
        )}
      </Fetched>
    </Section>
  )
}

type VersionProps = {
  readonly item: string
  readonly version: StateVersion
  readonly older: StateVersion | null
  readonly openFirst: boolean
}

function Version({ item, version, older, openFirst }: VersionProps) {
  const [shown, setShown] = useState<'content' | 'difference'>('content')
  const before = older?.content ?? null
  return (
    <li>
      <Section
        title={version.version}
        note={`${ownerText(version.owner)}${version.updatedAt === null ? '' : ` · ${formatWall(version.updatedAt * 1000)}`}`}
        open={openFirst}
      >
        {version.content === null ? (
          <Chip tone="bad">deleted</Chip>
        ) : (
          <>
            {before === null ? null : (
              <button
                type="button"
                class="quiet"
                onClick={() => setShown(shown === 'content' ? 'difference' : 'content')}
              >
                {shown === 'content' ? 'Difference to the version before' : 'Content'}
              </button>
            )}
            {shown === 'content' || before === null ? (
              <ContentView item={item} content={version.content} label="the content" />
            ) : (
              <ContentDiff item={item} before={before} after={version.content} />
            )}
          </>
        )}
      </Section>
    </li>
  )
}

function Handoff({ handoff }: { readonly handoff: StateHandoff }) {
  return (
    <section class="card" aria-label="Handoff">
      <h2>Handoff</h2>
      <Facts
        rows={[
          ['From', handoff.source ?? 'not stated'],
          ['To', handoff.target ?? 'not stated'],
          ['Task', handoff.task ?? 'not stated'],
          ['Reason', handoff.reason ?? 'not stated'],
          ['Written by', ownerText(handoff.owner)],
          ['Written at', formatWall(handoff.writtenAt * 1000)],
        ]}
      />
      <Texts title="Evidence" lines={handoff.evidence} />
      <Texts title="Open questions" lines={handoff.openQuestions} />
      <Section title="Summary" open={false}>
        <JsonText text={formatJson(handoff.summaryJson) ?? handoff.summaryJson} />
      </Section>
    </section>
  )
}

function Texts({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <Section title={title} note={formatCount(lines.length)}>
      <ul class="bullets">
        {lines.map((line, n) => (
          <li key={n}>{line}</li>
        ))}
      </ul>
    </Section>
  )
}

function ownerText(owner: StateOwner | null): string {
  return owner === null ? 'unknown owner' : owner.name
}
