/** HTTP, process, file, MCP, terminal, stream, damage, and plain fields: one record in full. */
import type {
  Content,
  DetailView,
  FileView,
  HeaderLine,
  HttpView,
  McpView,
  ProcessView,
} from '../../../protocol.ts'
import { formatBytes, formatCount, formatMoment } from '../../data/format.ts'
import { goTo, timelineAt } from '../../model/location.ts'
import { ContentDiff } from '../../parts/content-diff.tsx'
import { ContentView } from '../../parts/content-view.tsx'
import { Chip, Facts, Section } from '../../parts/section.tsx'
import { LlmView } from './llm-view.tsx'

export function DetailBody({
  item,
  row,
  view,
}: {
  readonly item: string
  readonly row: number
  readonly view: DetailView
}) {
  switch (view.type) {
    case 'llm':
      return <LlmView item={item} row={row} view={view} />
    case 'http':
      return <Http item={item} view={view} />
    case 'process':
      return <Process item={item} view={view} />
    case 'file':
      return <File item={item} view={view} />
    case 'mcp':
      return <Mcp item={item} view={view} />
    case 'terminal':
      return (
        <>
          <Facts
            rows={[
              ['Command', <code key="command">{view.command}</code>],
              ['Exit', view.exitCode === null ? 'none' : `${view.exitCode}`],
            ]}
          />
          {view.item === null ? (
            <p class="callout">This terminal has no cassette.</p>
          ) : (
            <button
              type="button"
              class="button"
              onClick={() => goTo({ view: 'terminal', item: view.item ?? '', at: view.cassetteMs })}
            >
              Open the terminal
            </button>
          )}
        </>
      )
    case 'stream':
      return (
        <>
          <Facts
            rows={[
              ['Stream', <code key="stream">{view.stream}</code>],
              ['Direction', view.direction === 'in' ? 'to the program' : 'from the program'],
              ...(view.n === null ? [] : [['Part', formatCount(view.n)] as const]),
            ]}
          />
          {view.error === null ? null : <p class="callout callout-bad">{view.error}</p>}
          {view.content === null ? null : (
            <ContentView item={item} content={view.content} label="the bytes" />
          )}
        </>
      )
    case 'damage':
      return (
        <>
          <p class="callout callout-bad">{view.reason}</p>
          <Facts
            rows={[
              ['Code', <code key="code">{view.code}</code>],
              ['Line', formatCount(view.line)],
              ['Offset', formatBytes(view.offsetBytes)],
              ['Size', formatBytes(view.sizeBytes)],
            ]}
          />
        </>
      )
    case 'fields':
      return (
        <Facts
          rows={view.fields.map(({ name, value }) => [
            name,
            <FieldValue key={name} item={item} content={value} />,
          ])}
        />
      )
  }
}

function FieldValue({ item, content }: { readonly item: string; readonly content: Content }) {
  if (content.form === 'text' && content.text.length < 200 && !content.text.includes('\n'))
    return <code>{content.text}</code>
  return <ContentView item={item} content={content} label="the value" />
}

function Http({ item, view }: { readonly item: string; readonly view: HttpView }) {
  const failed = view.status === null || view.status >= 400
  return (
    <>
      <p class="request-line">
        <Chip tone="accent">{view.method}</Chip> <code>{view.url}</code>
      </p>
      <div class="chips">
        <Chip tone={failed ? 'bad' : 'ok'}>
          {view.status === null ? 'no answer' : `${view.status} ${view.statusText}`.trim()}
        </Chip>
        {view.httpVersion === '' ? null : <Chip>HTTP/{view.httpVersion}</Chip>}
        {view.meaningRow === null ? null : (
          <button type="button" class="quiet" onClick={() => goTo(timelineAt(item, view.meaningRow))}>
            Show what it means
          </button>
        )}
      </div>
      {view.error === null ? null : <p class="callout callout-bad">{view.error}</p>}
      <OptionalContent item={item} title="Response body" content={view.responseBody} />
      <Headers title="Response headers" lines={view.responseHeaders} />
      <OptionalContent item={item} title="Request body" content={view.requestBody} />
      <Headers title="Request headers" lines={view.requestHeaders} />
      <Headers title="Trailers" lines={view.trailers} />
    </>
  )
}

function Headers({ title, lines }: { readonly title: string; readonly lines: readonly HeaderLine[] }) {
  if (lines.length === 0) return null
  return (
    <Section title={title} note={formatCount(lines.length)}>
      <table class="pairs">
        <tbody>
          {lines.map(([name, value], n) => (
            <tr key={n}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function OptionalContent({
  item,
  title,
  content,
  open,
}: {
  readonly item: string
  readonly title: string
  readonly content: Content | null
  readonly open?: boolean
}) {
  if (content === null) return null
  return (
    <Section title={title} {...(open === undefined ? {} : { open })}>
      <ContentView item={item} content={content} label={title.toLowerCase()} />
    </Section>
  )
}

function Process({ item, view }: { readonly item: string; readonly view: ProcessView }) {
  const failed = view.signal !== null || (view.exitCode !== null && view.exitCode !== 0)
  return (
    <>
      <pre class="code command">{[view.program, ...view.args].map(shellWord).join(' ')}</pre>
      <div class="chips">
        <Chip tone={failed ? 'bad' : 'ok'}>{exitText(view)}</Chip>
        {view.pid === null ? null : <Chip>pid {view.pid}</Chip>}
        {view.cwd === null ? null : <Chip>{view.cwd}</Chip>}
      </div>
      <OptionalContent item={item} title="stdout" content={view.stdout} />
      <OptionalContent item={item} title="stderr" content={view.stderr} />
      <OptionalContent item={item} title="stdin" content={view.stdin} />
      {view.output.length === 0 ? null : (
        <Section title="Output as it came" note={formatCount(view.output.length)} open={false}>
          {view.output.map((piece, n) => (
            <div key={n} class="piece">
              <span class="mono faint">{formatMoment(piece.atMs)}</span> <Chip>{piece.stream}</Chip>
              <ContentView item={item} content={piece.content} label="the output" />
            </div>
          ))}
        </Section>
      )}
      <Headers title="Environment that was set" lines={view.env} />
    </>
  )
}

function exitText({ exitCode, signal }: ProcessView): string {
  if (signal !== null) return `ended by ${signal}`
  return exitCode === null ? 'exit unknown' : `exit ${exitCode}`
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./$-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function File({ item, view }: { readonly item: string; readonly view: FileView }) {
  return (
    <>
      <p class="request-line">
        <Chip tone="accent">{view.call ?? view.action}</Chip> <code>{view.path}</code>
      </p>
      {view.error === null ? null : <p class="callout callout-bad">{view.error}</p>}
      {view.mode === null && view.result === null ? null : (
        <Facts
          rows={[
            ...(view.mode === null
              ? []
              : [
                  [
                    'Mode',
                    <code key="mode">{(view.mode & 0o7777).toString(8).padStart(4, '0')}</code>,
                  ] as const,
                ]),
            ...(view.result === null ? [] : [['Result', <code key="result">{view.result}</code>] as const]),
          ]}
        />
      )}
      {view.content === null || view.previous === null ? null : (
        <Section title="Difference to its previous content">
          <ContentDiff item={item} before={view.previous.content} after={view.content} />
        </Section>
      )}
      <OptionalContent
        item={item}
        title={view.appendedAt === null ? 'Content' : `Appended at byte ${view.appendedAt}`}
        content={view.content}
        open={view.previous === null}
      />
    </>
  )
}

function Mcp({ item, view }: { readonly item: string; readonly view: McpView }) {
  return (
    <>
      <p class="request-line">
        <Chip tone="accent">{view.server}</Chip> <code>{view.method}</code>{' '}
        {view.name === null ? null : <code class="strong">{view.name}</code>}
      </p>
      <div class="chips">
        {view.direction === 'call' ? null : (
          <Chip>{view.direction === 'in' ? 'from the server' : 'to the server'}</Chip>
        )}
        {view.outcome === null ? null : (
          <Chip tone={view.outcome === 'result' ? 'ok' : 'bad'}>{view.outcome}</Chip>
        )}
      </div>
      <OptionalContent item={item} title="Response" content={view.response} />
      <OptionalContent
        item={item}
        title={view.direction === 'call' ? 'Request' : 'Message'}
        content={view.request}
      />
    </>
  )
}
