import type { TapeOverview, TapeVerdict } from '../../../protocol.ts'
import { Icon } from '../../parts/icons.tsx'
import { Chip } from '../../parts/section.tsx'

const VERDICTS: Readonly<
  Record<
    TapeVerdict,
    { readonly tone: 'ok' | 'warn' | 'bad' | 'plain'; readonly text: string; readonly why: string }
  >
> = {
  sealed: {
    tone: 'ok',
    text: 'Sealed',
    why: 'The tape was closed, and its seal counts the records that are here. `reprise verify` checks the hashes.',
  },
  open: { tone: 'warn', text: 'Not sealed', why: 'The run is going on, or it was cut off.' },
  damaged: { tone: 'bad', text: 'Damaged', why: 'Some lines could not be read.' },
  unreadable: { tone: 'bad', text: 'Unreadable', why: 'The file has no header, so no records can be shown.' },
  foreign: { tone: 'plain', text: 'Foreign tape', why: 'Another system wrote this tape. It has no seal.' },
}

export function VerdictChip({ overview: { verdict } }: { readonly overview: TapeOverview }) {
  const { tone, text, why } = VERDICTS[verdict]
  return (
    <span title={why}>
      <Chip tone={tone}>
        {tone === 'ok' ? <Icon name="check" /> : null}
        {tone === 'bad' || tone === 'warn' ? <Icon name="warning" /> : null}
        {text}
      </Chip>
    </span>
  )
}
