/**
 * `reprise cassette replay DIR`: plays a recording to the terminal, with the recorded pauses, scaled ones, or
 * none. The program is not run.
 */
import { RepriseError } from '../../errors/index.ts'
import { numberOption, openToShow } from '../cassette-options.ts'
import { type Command, flagOption, textOption } from '../command.ts'
import { EXIT } from '../output.ts'

export const cassetteReplay: Command = {
  name: 'cassette replay',
  arguments: '<dir>',
  help: 'play a recording to the terminal (space: pause, arrows: five seconds back or on, q: end)',
  options: [
    { flags: '--mode <mode>', help: 'realtime, scaled or collapsed (default: that of the recording)' },
    { flags: '--scale <factor>', help: 'factor on every pause, for scaled: 2 is half the speed' },
    { flags: '--json', help: 'one JSON document on stdout instead of the recording' },
  ],
  async run(input) {
    const { REPLAY_MODES, replayMode } = await import('../../cassette/index.ts')
    const { onTermination, stdoutIsTerminal, writeStdout } = await import('../../real/terminal-io.ts')
    const reader = await openToShow(input, input.arguments[0] ?? '')
    const scale = numberOption(input, 'scale', 0)
    const modeText = textOption(input, 'mode') ?? (scale === undefined ? undefined : 'scaled')
    if (scale !== undefined && modeText !== 'scaled')
      throw new RepriseError('usage', '--scale is for --mode scaled', { hint: 'leave one of them out' })
    if (scale === 0)
      throw new RepriseError('usage', '--scale 0: not a number above 0', {
        hint: 'use --mode collapsed to play without waiting',
      })
    if (modeText !== undefined && !REPLAY_MODES.some((mode) => mode === modeText))
      throw new RepriseError('usage', `--mode ${modeText}: no such mode`, {
        hint: `one of ${REPLAY_MODES.join(', ')}`,
      })
    const isJson = flagOption(input, 'json')
    const mode = replayMode(modeText ?? (reader.manifest().timing.replayDefault || 'collapsed'))
    if (!isJson && stdoutIsTerminal()) {
      await (await import('../play-cassette.ts')).playOnTerminal(reader, mode, scale ?? 1)
      return EXIT.fine
    }
    const abort = new AbortController()
    using _stop = onTermination(() => abort.abort())
    let bytes = 0
    await reader.replay(
      { mode, ...(scale === undefined ? {} : { scale }), signal: abort.signal },
      async (event) => {
        if (event.kind !== 'output') return
        const chunk = reader.outputBytes(event.output)
        bytes += chunk.byteLength
        if (!isJson) await writeStdout(chunk)
      },
    )
    if (isJson)
      input.output.json({
        events: reader.events().length,
        bytes,
        exit: reader.final().exit,
        duration_ms: reader.final().durationMs,
      })
    return EXIT.fine
  },
}
