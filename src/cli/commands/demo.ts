/**
 * `reprise demo`: records a small agent, takes its model away, replays it, and writes a page that shows the
 * run. Needs no key and no network. Keeps everything in `.reprise/demo/`.
 */
import { join } from 'node:path'
import { type Command, type CommandInput, flagOption } from '../command.ts'
import { EXIT } from '../output.ts'
import { record } from './record.ts'
import { replay } from './replay.ts'
import { view } from './view.ts'

export const demo: Command = {
  name: 'demo',
  arguments: '',
  help: 'record, replay and show a small agent, without a key; everything is kept in .reprise/demo',
  options: [{ flags: '--no-open', help: 'open no browser' }],
  failure: EXIT.reprise,
  async run(input) {
    const { makeDemoFolder, startModel } = await import('../demo/set-up.ts')
    const folder = makeDemoFolder()
    const [agent, tape, page] = ['agent.mjs', 'run.tape', 'run.html'].map((name) => join(folder, name))
    const command = ['node', agent ?? '']
    const { line } = input.output

    line(`1. Record: npx reprise record -- ${command.join(' ')}`, 'good')
    const model = await startModel(folder)
    const recorded = await runCommand(record, input, [...command, model.url], { out: tape, force: true })
    await model.stop()
    if (recorded !== EXIT.fine) return recorded

    line('2. Replay, with the model gone: the same answer, time and run id come from the tape', 'good')
    const replayed = await runCommand(replay, input, [tape ?? ''], {})
    if (replayed !== EXIT.fine) return replayed
    line('   the replay is faithful: no request was sent', 'dim')

    line('3. View', 'good')
    const viewed = await runCommand(view, input, [tape ?? ''], { export: page, force: true })
    if (viewed !== EXIT.fine) return viewed
    line(`   the page of this run  ${page}`)
    line(`   the tape              ${tape}`)
    line('')
    line(`Next: npx reprise inspect ${tape} --llm 2`)
    line(`      npx reprise view ${tape}`)
    line(`      change the question in ${agent}, then npx reprise replay ${tape}`)
    await openPage(input, page ?? '')
    return EXIT.fine
  },
}

function runCommand(
  command: Command,
  input: CommandInput,
  words: readonly string[],
  options: CommandInput['options'],
): Promise<number> {
  return command.run({ arguments: words, options, output: input.output })
}

async function openPage(input: CommandInput, page: string): Promise<void> {
  const { stdoutIsTerminal } = await import('../../real/terminal-io.ts')
  if (input.options.open === false || flagOption(input, 'json') || !stdoutIsTerminal()) return
  const { pathToFileURL } = await import('node:url')
  const { openBrowser } = await import('../../real/open-browser.ts')
  openBrowser(pathToFileURL(page).href)
}
