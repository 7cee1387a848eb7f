/**
 * Creates the scrubber of one run from its environment and the user's rules. Everything that is written
 * passes through one of these methods. Each returns the same text for the same input while recording and
 * while replaying, whatever the value of the key.
 *
 * Decision 0023.
 */
import { textOrNull, utf8 } from '../base/index.ts'
import { withoutBarePasswords } from './bare-addresses.ts'
import { type BodyTools, createBody } from './body.ts'
import { hasCleanList } from './clean-list.ts'
import { applyEdits } from './edit.ts'
import { escapeRule } from './escapes.ts'
import { fieldHints } from './field-hints.ts'
import { FieldSecrets } from './field-secrets.ts'
import { Finder } from './finder.ts'
import { HarmlessTexts } from './harmless-texts.ts'
import { headerLineRule } from './header-lines.ts'
import { heuristicRules } from './heuristics.ts'
import { holdsSecret } from './holds-secret.ts'
import { jsonEdits } from './json-edits.ts'
import { formOfKey } from './key-forms.ts'
import { isSearchable, KnownValues } from './known-values.ts'
import { createMaskedStream } from './masked-stream.ts'
import { mediaRule } from './media.ts'
import { type NameOptions, nameRules } from './names.ts'
import { isPlaceholder, kindName, Ordinals, placeholderRule } from './placeholder.ts'
import { type Place, Replacer } from './replacer.ts'
import { ReportBook } from './report.ts'
import { asScrubbed, type Scrubbed } from './scrubbed.ts'
import type { Scrubber, Side, StreamScrubber } from './scrubber.ts'
import { shapeRules } from './shapes.ts'
import { structuredRules } from './shapes-structured.ts'
import { DERIVED } from './spans.ts'
import { createStream } from './stream.ts'
import { hasNoEdits, UnchangedJson } from './unchanged-json.ts'
import { scrubUrl } from './url-edits.ts'
import { checkPattern, expressionOf, literalRule, type UserPattern } from './user-rules.ts'
import { scrubValue } from './value-walk.ts'

export type ScrubOptions = {
  /** The values of its variables with secret names are searched for everywhere. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly rules?: UserRules
}

export type UserRules = NameOptions & {
  readonly patterns?: readonly UserPattern[]
  /** Values that are never treated as secrets. */
  readonly allowValues?: readonly string[]
}

const MOST_PASSES = 4
/** The shortest possible match of any rule: `://a:b@`. */
const SHORTEST = 7

export function createScrubber(options: ScrubOptions = {}): Scrubber {
  const rules = options.rules ?? {}
  const finder = new Finder()
  const ordinals = new Ordinals()
  const book = new ReportBook()
  const known = new KnownValues(
    (probe, rule) => finder.addProbe(probe, rule),
    (value) => finder.noteKnown(value),
  )
  finder.addIndex(known.index)
  const names = nameRules(rules)
  finder.add(placeholderRule((placeholder) => ordinals.reserve(placeholder)))
  for (const rule of [
    escapeRule,
    mediaRule,
    ...shapeRules,
    ...structuredRules,
    headerLineRule,
    ...heuristicRules,
    fieldHints(rules.fields),
  ])
    finder.add(rule)
  for (const pattern of rules.patterns ?? []) addPattern(finder, pattern)
  finder.allow(rules.allowValues ?? [])

  const learn = (kind: string, secret: string, placeholder?: string): void => {
    if (!isSearchable(secret)) return
    const name = kindName(kind)
    known.learn(name, secret, placeholder ?? ordinals.placeholder(name, secret))
  }
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value !== undefined && names.isSecretVariable(name))
      learn(`env:${name}`, value, `<redacted:${kindOfVariable(name, value)}>`)
  }
  const replacer = new Replacer(finder, known, ordinals, book, learn)
  const secrets = new FieldSecrets(names, replacer, learn)

  const harmless = new HarmlessTexts(finder)
  const text = (value: string, side: Side, place: Place = 0): string => {
    if (value.length < SHORTEST || harmless.has(value, side)) return value
    const done = replacer.text(value, side, place)
    if (done === value) harmless.add(value, side)
    return done
  }

  const jsonText = (value: string, side: Side, place = ''): string => {
    if (value.length < SHORTEST) return value
    let current = value
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      if (finder.find(current, side, true).spans.length === 0 && !finder.mayNameSecrets(current, side))
        return current
      const edits = jsonEdits(current, side, secrets, place)
      if (edits === null) return text(current, side, place || 0)
      if (edits.length === 0) return current
      current = applyEdits(current, edits)
    }
    return current
  }

  const bytes = (value: Uint8Array, side: Side, place = ''): Uint8Array => {
    if (value.byteLength < SHORTEST || !finder.mayHold(value, side)) return value
    const asText = textOrNull(value)
    if (asText !== null) {
      const done = /^\s*[[{]/.test(asText) ? jsonText(asText, side, place) : text(asText, side, place || 0)
      return done === asText ? value : utf8(done)
    }
    const latin1 = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')
    const done = text(latin1, side, place || 0)
    return done === latin1 ? value : Buffer.from(done, 'latin1')
  }

  const field = (name: string, value: string, side: Side, place: string): string =>
    applyEdits(value, secrets.fieldEdits(name, value, side, place))

  const tools = { secrets, text, jsonText, bytes }
  const noEdits = hasNoEdits(names, finder, known)
  const bodyTools: BodyTools = {
    ...tools,
    hits: () => book.total,
    unchanged: new UnchangedJson(finder, noEdits),
    isCleanList: (value) => hasCleanList(value, finder, noEdits),
    stream: (side, isUsedAtOnce) => createStream(replacer, side, isUsedAtOnce),
    withhold: () =>
      replacer.placeholder({ kind: 'oversized_body', placeholder: '<redacted:oversized_body>' }, '', 'body'),
  }

  const scrubber: Scrubber = {
    get hits() {
      return book.total
    },
    get version() {
      return finder.version
    },
    text: (value, side, place) => asScrubbed<string>(text(value, side, place)),
    jsonText: (value, side, place) => asScrubbed<string>(jsonText(value, side, place)),
    value: <T>(value: T, side: Side, place?: string): Scrubbed<T> =>
      asScrubbed(scrubValue(value, side, place ?? '', tools) as T),
    bytes: (value, side, place) => asScrubbed<Uint8Array>(bytes(value, side, place)),
    header(name, value, side = 'sent') {
      const place = `header ${name.toLowerCase()}`
      const isSecret =
        side === 'sent' || /cookie|authorization/i.test(name) ? names.isSecretHeader(name) : false
      return asScrubbed<string>(isSecret ? field(name, value, side, place) : text(value, side, place))
    },
    url: (url, side = 'sent') =>
      asScrubbed<string>(scrubUrl(url, side, secrets, (part) => text(part, side, 'url'))),
    env(name, value) {
      if (!names.isSecretVariable(name)) return asScrubbed<string>(plainVariable(name, value))
      if (/^(?:|true|false|null|undefined|none|yes|no|on|off|0|1)$/i.test(value) || isPlaceholder(value))
        return asScrubbed<string>(value)
      const kind = kindOfVariable(name, value)
      // A value that is known already keeps its placeholder: a replay passes that on to other variables.
      const placeholder = known.placeholderOf(value) ?? `<redacted:${kind}>`
      learn(kind, value, placeholder)
      return asScrubbed<string>(replacer.placeholder({ kind, placeholder }, value, `env ${name}`))
    },
    stream: (side): StreamScrubber => createStream(replacer, side),
    maskedStream: (side) => createMaskedStream(replacer, side),
    body: (head, side) => createBody(head, side, bodyTools),
    argv: (args) => args.map((arg, index) => asScrubbed<string>(argument(arg, args[index - 1], index))),
    find: (value, side, final) => finder.find(value, side, final),
    mayHold: (value, side) => finder.mayHold(value, side),
    unfinished: (value, side) =>
      finder.unfinished(
        Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1'),
        side,
      ),
    note: (kind, secret, place) => void replacer.placeholder({ kind }, secret, place),
    learn: (kind, secret) => learn(kind, secret),
    learnAs(secret, substitute) {
      replacer.substitutes.set(secret, substitute)
      learn(DERIVED, secret, substitute)
    },
    holdsSecret: (value) => holdsSecret(value, replacer),
    reserve: (scrubbed) => ordinals.reserveAll(scrubbed),
    issue: (body) => replacer.issue(body),
    asked: (body) => replacer.asked(body),
    restored: (text) => ordinals.restored(text),
    secrets: () => known.list(),
    get known() {
      return known.size
    },
    report: () => book.report(),
  }
  return scrubber

  function plainVariable(name: string, value: string): string {
    const place = `env ${name}`
    const span = { kind: 'url_password', learn: 'password' } as const
    const address = withoutBarePasswords(value, (password) => replacer.placeholder(span, password, place))
    return text(address, 'sent', place)
  }

  function argument(arg: string, before: string | undefined, index: number): string {
    const flag = /^--?([A-Za-z][\w-]{2,})$/.exec(before ?? '')?.[1]
    if (flag !== undefined && names.isSecretField(flag) && !arg.startsWith('-'))
      return field(flag, arg, 'sent', `argv ${index}`)
    const own = /^--?([A-Za-z][\w-]{2,})=/.exec(arg)
    if (own?.[1] !== undefined && names.isSecretField(own[1]))
      return own[0] + field(own[1], arg.slice(own[0].length), 'sent', `argv ${index}`)
    return text(arg, 'sent', `argv ${index}`)
  }
}

function kindOfVariable(name: string, value: string): string {
  const form = formOfKey(value)
  return `${kindName(`env:${name}`)}${form === null ? '' : `:${form}`}`
}

function addPattern(finder: Finder, pattern: UserPattern): void {
  checkPattern(pattern)
  const { name, pattern: what, side } = pattern
  if (typeof what === 'string') finder.add(literalRule({ name, pattern: what }), side ?? null)
  else finder.addExpression(expressionOf({ name, pattern: what, ...(side === undefined ? {} : { side }) }))
}
