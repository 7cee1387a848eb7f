/**
 * What is known after an entry: runs, suspension, processes, tools, tokens, budgets, signals, gates, and the
 * snapshot itself.
 */
import type { ComponentChildren } from 'preact'
import type { AuditMoment, AuditProcess } from '../../../protocol.ts'
import { formatJson } from '../../data/content.ts'
import { formatCost, formatCount, plural } from '../../data/format.ts'
import { source } from '../../data/source.ts'
import { useResource } from '../../model/resource.ts'
import { JsonText } from '../../parts/json-text.tsx'
import { Chip, Section } from '../../parts/section.tsx'
import { Fetched } from '../../parts/states.tsx'

export function Moment({ item, index }: { readonly item: string; readonly index: number }) {
  const moment = useResource(() => source().auditAt(item, index), [item, index], { keepOld: true })
  return (
    <Fetched of={moment} what="the snapshot">
      {(value) => <MomentBody moment={value} />}
    </Fetched>
  )
}

function MomentBody({ moment }: { readonly moment: AuditMoment }) {
  const { suspended, runs, processes, tools, tokens, budgets, signals, gates } = moment
  return (
    <div class="moment" data-testid="moment">
      <div class="chips">
        <Chip tone={suspended === null ? 'ok' : 'warn'}>
          {suspended === null ? 'not suspended' : `suspended: ${suspended.reason}`}
        </Chip>
        <Chip>{`${formatCount(tokens.input)} in · ${formatCount(tokens.output)} out`}</Chip>
        {tokens.costUsd === null ? null : <Chip>{formatCost(tokens.costUsd)}</Chip>}
      </div>
      {suspended === null || suspended.pendingCalls.length === 0 ? null : (
        <p class="callout">Waiting for: {suspended.pendingCalls.join(', ')}</p>
      )}
      <Group title="Processes" count={processes.length}>
        <ProcessTree processes={processes} />
      </Group>
      <Group title="Runs" count={runs.length}>
        <ul class="lines">
          {runs.map((run) => (
            <li key={run.runId} class="line line-wrap">
              <span class="grow">
                {run.goal === '' ? <span class="faint">no goal</span> : run.goal}{' '}
                <code class="faint">{run.runId}</code>
              </span>
              <Chip tone={run.endedAtSeq === null ? 'accent' : 'plain'}>
                {run.endedAtSeq === null ? 'running' : (run.reason ?? 'ended')}
              </Chip>
              {run.suspensions > 0 ? <Chip tone="warn">{plural(run.suspensions, 'suspension')}</Chip> : null}
              <span class="muted">{run.turns === null ? '' : plural(run.turns, 'turn')}</span>
            </li>
          ))}
        </ul>
      </Group>
      <Group title="Tools" count={tools.length}>
        <ul class="lines">
          {tools.map((tool) => (
            <li key={tool.name} class="line">
              <code class="grow truncate">{tool.name}</code>
              {tool.errors > 0 ? <Chip tone="bad">{formatCount(tool.errors)} failed</Chip> : null}
              {tool.denied > 0 ? <Chip tone="warn">{formatCount(tool.denied)} denied</Chip> : null}
              <span class="number">{formatCount(tool.calls)}</span>
            </li>
          ))}
        </ul>
      </Group>
      <Group title="Budgets" count={budgets.length}>
        <ul class="lines">
          {budgets.map((entry, n) => (
            <li key={n} class="line">
              <span class="faint">turn {entry.turn}</span>
              <span class="grow">{entry.budget}</span>
            </li>
          ))}
        </ul>
      </Group>
      <Group title="Signals" count={signals.length}>
        <ul class="lines">
          {signals.map((entry, n) => (
            <li key={n} class="line">
              <span class="faint">turn {entry.turn}</span>
              <code class="grow">{entry.signal}</code>
              <span>{entry.disposition}</span>
              <span class="faint">queue {entry.queueDepth}</span>
            </li>
          ))}
        </ul>
      </Group>
      <Group title="Gates" count={gates.length}>
        <ul class="lines">
          {gates.map((gate, n) => (
            <li key={n} class="line line-wrap">
              <span class="mono faint">{gate.seq}</span>
              <Chip>{gate.kind}</Chip>
              <span class="grow">{gate.text}</span>
            </li>
          ))}
        </ul>
      </Group>
      <Section title="Snapshot" open={false}>
        <JsonText text={formatJson(moment.snapshotJson) ?? moment.snapshotJson} />
      </Section>
    </div>
  )
}

function Group({
  title,
  count,
  children,
}: {
  readonly title: string
  readonly count: number
  readonly children: ComponentChildren
}) {
  if (count === 0) return null
  return (
    <Section title={title} note={formatCount(count)}>
      {children}
    </Section>
  )
}

function ProcessTree({ processes }: { readonly processes: readonly AuditProcess[] }) {
  return (
    <ul class="tree">
      {processes.map((process) => (
        <li key={process.agentId}>
          <div class="line line-wrap">
            <code class="grow truncate">{process.agentId}</code>
            <span class="muted">{process.role}</span>
            {process.isolation === null ? null : <Chip>{process.isolation}</Chip>}
            <Chip tone={process.termination === null ? 'accent' : 'plain'}>
              {process.termination ?? process.state ?? 'running'}
            </Chip>
            <span class="mono faint">{lifeOf(process)}</span>
          </div>
          {process.children.length === 0 ? null : <ProcessTree processes={process.children} />}
        </li>
      ))}
    </ul>
  )
}

/** The entries of its first and last sign of life; open while it runs. */
function lifeOf({ firstSeq, lastSeq, termination }: AuditProcess): string {
  if (firstSeq === null) return ''
  return termination === null ? `from ${firstSeq}` : `${firstSeq}–${lastSeq ?? firstSeq}`
}
