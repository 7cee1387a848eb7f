/** A cassette: the screen, a player, what was typed, and a search in the text of all screens. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CassetteDocument, ViewerItem, ViewerProblem } from '../../../protocol.ts'
import { formatBytes, formatCount, formatDuration, formatMoment, plural } from '../../data/format.ts'
import { problemFrom } from '../../data/problem.ts'
import { source } from '../../data/source.ts'
import { onKeys } from '../../model/keys.ts'
import { goTo, timelineAt } from '../../model/location.ts'
import { onPlayKey } from '../../model/play-key.ts'
import { useResource } from '../../model/resource.ts'
import { Icon } from '../../parts/icons.tsx'
import { Chip, Section } from '../../parts/section.tsx'
import { Fetched, ProblemNote } from '../../parts/states.tsx'
import { FindingsPanel } from '../overview/findings-panel.tsx'
import { PlayBar } from '../record/play-bar.tsx'
import { usePlayback } from '../record/playback.ts'
import { Screen } from './screen.tsx'
import { ScreenSearch } from './screen-search.tsx'
import { type CassetteTrack, loadTrack } from './track.ts'

export default function TerminalView({
  item,
  at,
}: {
  readonly item: ViewerItem
  readonly at: number | null
}) {
  const loaded = useResource(async () => {
    const cassette = await source().cassette(item.id)
    return { cassette, track: await loadTrack(item.id, cassette) }
  }, [item.id])
  return (
    <Fetched of={loaded} what="the cassette">
      {({ cassette, track }) => <Player item={item.id} cassette={cassette} track={track} at={at} />}
    </Fetched>
  )
}

type PlayerProps = {
  readonly item: string
  readonly cassette: CassetteDocument
  readonly track: CassetteTrack
  readonly at: number | null
}

function Player({ item, cassette, track, at }: PlayerProps) {
  const playback = usePlayback(cassette.durationMs, at ?? cassette.durationMs, item)
  const [problem, setProblem] = useState<ViewerProblem | null>(null)
  const atMs = playback.atMs.value
  const shown = useRef(at)
  useEffect(() => {
    if (at !== null && at !== shown.current) playback.seek(at)
    shown.current = at
  }, [at])
  // A moment that rests is part of the link.
  useEffect(() => {
    if (playback.playing.value) return
    const timer = setTimeout(() => {
      shown.current = Math.round(atMs)
      goTo({ view: 'terminal', item, at: Math.round(atMs) }, 'replace')
    }, 300)
    return () => clearTimeout(timer)
  }, [atMs, playback.playing.value])
  const jump = (next: number): void => {
    playback.pause()
    playback.seek(next)
  }
  useEffect(() => {
    const now = (): number => playback.atMs.peek()
    const stops = [
      onPlayKey(playback.toggle),
      onKeys({
        ',': () => jump(track.previous(now())),
        '.': () => jump(track.next(now())),
        ArrowLeft: () => jump(now() - 5000),
        ArrowRight: () => jump(now() + 5000),
        Home: () => jump(0),
        End: () => jump(cassette.durationMs),
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [playback, track])
  const { tape } = cassette
  return (
    <div class="terminal-view">
      <header class="terminal-head">
        <h1 class="command">{cassette.command.join(' ')}</h1>
        <div class="chips">
          {cassette.exit === null ? <Chip tone="warn">no exit</Chip> : <ExitChip exit={cassette.exit} />}
          <Chip>{formatDuration(cassette.durationMs)}</Chip>
          <Chip>{`${cassette.cols} × ${cassette.rows}`}</Chip>
          <Chip>{cassette.term}</Chip>
          <Chip>{`${formatBytes(cassette.outputBytes)} · ${plural(cassette.frames, 'frame')}`}</Chip>
          {tape === null ? null : (
            <button type="button" class="quiet" onClick={() => goTo(timelineAt(tape.item, tape.row))}>
              Show on the timeline, at {formatMoment(tape.offsetMs + atMs)}
            </button>
          )}
        </div>
      </header>
      <FindingsPanel findings={cassette.findings} />
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div class="terminal-columns">
        <div class="terminal-main">
          <Screen
            item={item}
            cassette={cassette}
            track={track}
            atMs={atMs}
            onProblem={(error) => setProblem(problemFrom(error))}
          />
          <div class="terminal-bar">
            <button
              type="button"
              class="icon-button"
              aria-label="Previous frame"
              onClick={() => jump(track.previous(atMs))}
            >
              <Icon name="previous" />
            </button>
            <button
              type="button"
              class="icon-button"
              aria-label="Next frame"
              onClick={() => jump(track.next(atMs))}
            >
              <Icon name="next" />
            </button>
            <PlayBar playback={playback} endMs={cassette.durationMs} label="the terminal" />
          </div>
        </div>
        <aside class="terminal-side">
          <ScreenSearch item={item} onOpen={jump} />
          {cassette.inputs.length === 0 ? null : (
            <Section title="Input" note={formatCount(cassette.inputs.length)}>
              <ul class="lines">
                {cassette.inputs.map((input, n) => (
                  <li key={n}>
                    <button
                      type="button"
                      class="line"
                      aria-current={input.atMs <= atMs && (cassette.inputs[n + 1]?.atMs ?? Infinity) > atMs}
                      onClick={() => jump(input.atMs)}
                    >
                      <span class="mono faint">{formatMoment(input.atMs)}</span>
                      <code class={input.reply ? 'truncate grow faint' : 'truncate grow'}>{input.text}</code>
                      {input.kind === 'input' ? null : <span class="faint">{input.kind}</span>}
                    </button>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="Text at the end" open={false}>
            <pre class="code">{cassette.finalText}</pre>
          </Section>
          {cassette.masked.length === 0 ? null : (
            <Section title="Secrets masked">
              <ul class="lines">
                {cassette.masked.map(({ rule, count }) => (
                  <li key={rule} class="line">
                    <code class="grow">{rule}</code>
                    <span class="number">{formatCount(count)}</span>
                  </li>
                ))}
              </ul>
            </Section>
          )}
        </aside>
      </div>
    </div>
  )
}

function ExitChip({ exit }: { readonly exit: { readonly code: number; readonly signal: string } }) {
  const signalled = exit.signal !== '' && exit.signal !== '0'
  if (signalled) return <Chip tone="bad">ended by {exit.signal}</Chip>
  return <Chip tone={exit.code === 0 ? 'ok' : 'bad'}>exit {exit.code}</Chip>
}
