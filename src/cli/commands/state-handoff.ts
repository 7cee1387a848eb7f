/**
 * `reprise state handoff [JSON]`: leaves a handoff (a JSON object from the argument, `--file` or stdin, and
 * the typed form from its options), or prints the one that is there when none is given.
 */
import { isObject, parseJson, textOrNull } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import type { Handoff } from '../../state/index.ts'
import { type Command, type CommandInput, flagOption, listOption, textOption } from '../command.ts'
import { ifVersion, inSession, missingKey, sessionOptions, valueFrom } from './state-session.ts'

const TEXTS = ['source', 'target', 'task', 'reason'] as const

export const stateHandoff: Command = {
  name: 'state handoff',
  arguments: '[json]',
  help: 'leave a handoff for the next agent, or print the one that is there',
  options: [
    ...sessionOptions,
    { flags: '--file <file>', help: 'take the JSON object from this file' },
    { flags: '--source <agent>', help: 'the agent that stops' },
    { flags: '--target <agent>', help: 'to whom' },
    { flags: '--task <text>', help: 'what is to be done' },
    { flags: '--reason <text>', help: 'why it stops here' },
    { flags: '--evidence <item...>', help: 'what it rests on' },
    { flags: '--question <item...>', help: 'what is still open' },
  ],
  async run(input) {
    const handoff = typedForm(input)
    const given = input.arguments[0] !== undefined || textOption(input, 'file') !== undefined
    const value = given || handoff === undefined ? await valueFrom(input, input.arguments[0]) : null
    const text = typeof value === 'string' ? value : value === null ? '' : textOrNull(value)
    return inSession(input, async (state) => {
      if (!given && handoff === undefined && text === '') {
        const present = await state.readHandoff()
        if (present === null) throw missingKey('__handoff.json')
        input.output.json(await state.readJson('__handoff.json'))
        return
      }
      const { version, conflict } = await state.handoff(text === '' && !given ? {} : parseSummary(text), {
        handoff,
        ifVersion: ifVersion(input),
      })
      if (flagOption(input, 'json'))
        input.output.json({ key: '__handoff.json', version, conflict: conflict?.message ?? null })
      else input.output.line(version)
    })
  },
}

/** Undefined if no option of the typed form was given; the state itself reports what is missing. */
function typedForm(input: CommandInput): Partial<Handoff> | undefined {
  const texts = Object.fromEntries(
    TEXTS.flatMap((name) => (textOption(input, name) === undefined ? [] : [[name, textOption(input, name)]])),
  )
  const evidence = listOption(input, 'evidence')
  const openQuestions = listOption(input, 'question')
  if (Object.keys(texts).length === 0 && evidence.length === 0 && openQuestions.length === 0) return undefined
  return { ...texts, evidence, openQuestions }
}

function parseSummary(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value = parseJson(text ?? '')
    if (isObject(value)) return value
    throw new SyntaxError('no object')
  } catch (error) {
    throw new RepriseError('state-handoff-invalid', 'agent_state.handoff: `summary` must be a JSON object', {
      cause: error,
      hint: 'quote it for the shell, or use --file',
    })
  }
}
