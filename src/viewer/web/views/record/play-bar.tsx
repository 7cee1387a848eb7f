/** Play, pause, position and speed. */
import { formatMoment } from '../../data/format.ts'
import { Icon } from '../../parts/icons.tsx'
import { type Playback, SPEEDS } from './playback.ts'

export function PlayBar({
  playback,
  endMs,
  label,
}: {
  readonly playback: Playback
  readonly endMs: number
  readonly label: string
}) {
  const playing = playback.playing.value
  const at = playback.atMs.value
  return (
    <div class="play-bar">
      <button
        type="button"
        class="icon-button"
        aria-label={playing ? `Pause ${label}` : `Play ${label}`}
        onClick={playback.toggle}
      >
        <Icon name={playing ? 'pause' : 'play'} />
      </button>
      <input
        type="range"
        min={0}
        max={Math.max(1, endMs)}
        step="any"
        value={at}
        aria-label={`Position in ${label}`}
        aria-valuetext={formatMoment(at)}
        onInput={(event) => playback.seek(Number(event.currentTarget.value))}
      />
      <span class="mono play-time">
        {formatMoment(at)} <span class="faint">/ {formatMoment(endMs)}</span>
      </span>
      <select
        aria-label="Speed"
        value={playback.speed.value}
        onChange={(event) => (playback.speed.value = Number(event.currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={speed}>
            {speed}×
          </option>
        ))}
      </select>
    </div>
  )
}
