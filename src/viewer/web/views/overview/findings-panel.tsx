/** What is wrong with a file, or worth knowing about it. */
import type { FindingList } from '../../../protocol.ts'
import { formatCount, plural } from '../../data/format.ts'
import { Icon } from '../../parts/icons.tsx'

export function FindingsPanel({
  findings: { findings, more },
  onOpen,
}: {
  readonly findings: FindingList
  readonly onOpen?: (row: number) => void
}) {
  if (findings.length === 0 && more === 0) return null
  const faults = findings.filter(({ severity }) => severity === 'fault').length
  return (
    <section class={faults > 0 ? 'findings findings-fault' : 'findings'} aria-label="Findings">
      <h2 class="findings-title">
        <Icon name="warning" />
        {faults > 0 ? plural(faults + more, 'finding') : plural(findings.length + more, 'note')}
      </h2>
      <ul>
        {findings.map((finding, n) => (
          <li key={n} class={`finding finding-${finding.severity}`}>
            <code class="finding-code">{finding.code}</code>
            <div class="grow">
              <p class="finding-message">{finding.message}</p>
              {finding.hint === null ? null : <p class="muted">{finding.hint}</p>}
            </div>
            {finding.row === null || onOpen === undefined ? null : (
              <button type="button" class="quiet" onClick={() => onOpen(finding.row ?? 0)}>
                Show
              </button>
            )}
          </li>
        ))}
      </ul>
      {more > 0 ? <p class="muted">and {formatCount(more)} more</p> : null}
    </section>
  )
}
