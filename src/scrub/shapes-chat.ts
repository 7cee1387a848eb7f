/**
 * Secrets of chat services that have a grammar: Slack's webhook URLs, and bot tokens of Telegram and Discord.
 */
import { charClass, charsOf, DIGIT, isIn, TOKEN } from './char-class.ts'
import { beginsToken, type Match, RANK, type Rule } from './rule.ts'

function found(kind: string, start: number, end: number): Match {
  return { start, end, kind, rank: RANK.shape }
}

const PATH = charClass('a-z', 'A-Z', '0-9', '/_-')

const slackWebhook: Rule = {
  name: 'slack_webhook',
  rank: RANK.shape,
  mayHoldSlash: true,
  probes: () => ['hook'],
  check(input, at) {
    const prefix = 'hooks.slack.com/'
    if (!input.startsWith(prefix, at)) return null
    const from = at + prefix.length
    const end = input.runEnd(PATH, from)
    const pieces = input.text.slice(from, end).split('/')
    return pieces.length < 4 || end - from < 30 ? null : found(slackWebhook.name, from, end)
  },
}

const TELEGRAM_BODY = 35

/** `123456789:AA…`, the id of a bot and its key; in a URL after `/bot`. */
const telegram: Rule = {
  name: 'telegram_token',
  rank: RANK.shape,
  lead: { table: DIGIT, most: 12, least: 2 },
  probes: () => [`:AA${charsOf(TOKEN)}`],
  check(input, at) {
    let start = at
    while (start > 0 && at - start < 12 && isIn(DIGIT, input.text, start - 1)) start -= 1
    if (at - start < 8 || at - start > 10) return null
    return input.runEnd(TOKEN, at + 1) - at - 1 === TELEGRAM_BODY
      ? found('telegram_token', start, at + 1 + TELEGRAM_BODY)
      : null
  },
}

/** The possible characters of three digits in base64. The id of a bot has 17 to 20 digits. */
const DIGITS_IN_BASE64 = [
  charClass('MNO'),
  charClass('DTjz'),
  charClass('AEIMQUYcgk'),
  charClass('w-z', '0-5'),
]
const LONGEST_DISCORD_ID = 28
const DISCORD = /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/y

/** The id of a bot in base64, a time, a signature. Found by its first part, which is base64 of ASCII text. */
const discord: Rule = {
  name: 'discord_token',
  rank: RANK.shape,
  inBase64: true,
  probes: () => [],
  check(input, at) {
    let start = at
    while (start > 0 && at - start < LONGEST_DISCORD_ID && isIn(TOKEN, input.text, start - 1)) start -= 1
    input.undecidedFrom = start
    if (
      !beginsToken(input.text, start) ||
      !isDiscordId(input.text, start, Math.min(input.text.length, start + 4))
    )
      return null
    const token = input.match(DISCORD, start, 80)?.[0]
    return token === undefined ? null : found('discord_token', start, start + token.length)
  },
  opening(text) {
    const least = Math.max(0, text.length - LONGEST_DISCORD_ID)
    let start = text.length
    while (start > least && isIn(TOKEN, text, start - 1)) start -= 1
    return beginsToken(text, start) && isDiscordId(text, start, text.length) ? start : text.length
  },
}

function isDiscordId(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const chars = DIGITS_IN_BASE64[(at - from) & 3]
    if (chars === undefined || !isIn(chars, text, at)) return false
  }
  return true
}

export const chatRules: readonly Rule[] = [slackWebhook, telegram, discord]
