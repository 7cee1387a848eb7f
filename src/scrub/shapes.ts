/**
 * Secrets that give themselves away: a fixed beginning and a body of one character class. These apply on both sides, so each must be certain
 * enough to be taken out of a file that the program reads: a false hit would change what a replay hands out.
 */
import {
  ALNUM,
  BASE64,
  BASE64_PADDED,
  type CharClass,
  charsOf,
  DIGIT,
  DOTTED,
  HEX,
  isIn,
  runEnd,
  someIn,
  TOKEN,
  UPPER,
  UPPER_DIGIT,
} from './char-class.ts'
import { beginsToken, type Input, type Match, RANK, type Rule } from './rule.ts'

type Shape = {
  readonly kind: string
  readonly prefixes: readonly string[]
  readonly body: CharClass
  /** Shortest body. */
  readonly min: number
  readonly accept?: (text: string, bodyStart: number, end: number) => boolean
}

const shapes: readonly Shape[] = [
  { kind: 'anthropic_key', prefixes: ['sk-ant-'], body: TOKEN, min: 12 },
  { kind: 'openrouter_key', prefixes: ['sk-or-'], body: TOKEN, min: 16 },
  { kind: 'openai_key', prefixes: ['sk-'], body: TOKEN, min: 20, accept: looksRandom },
  { kind: 'github_token', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], body: ALNUM, min: 20 },
  { kind: 'github_pat_fine', prefixes: ['github_pat_'], body: TOKEN, min: 22 },
  {
    kind: 'gitlab_token',
    prefixes: ['glpat-', 'gldt-', 'glrt-', 'glft-', 'glsoat-', 'glcbt-', 'glptt-', 'glagent-', 'gloas-'],
    body: DOTTED,
    min: 16,
  },
  { kind: 'slack_token', prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xoxe-', 'xoxe.xox', 'xapp-'], body: DOTTED, min: 10 },
  { kind: 'huggingface_token', prefixes: ['hf_', 'api_org_'], body: ALNUM, min: 20 },
  { kind: 'cerebras_key', prefixes: ['csk-'], body: ALNUM, min: 20 },
  { kind: 'together_key', prefixes: ['tgp_v1_'], body: TOKEN, min: 20 },
  { kind: 'groq_key', prefixes: ['gsk_'], body: ALNUM, min: 20 },
  { kind: 'xai_key', prefixes: ['xai-'], body: TOKEN, min: 24, accept: looksRandom },
  { kind: 'perplexity_key', prefixes: ['pplx-'], body: ALNUM, min: 20 },
  { kind: 'replicate_token', prefixes: ['r8_'], body: ALNUM, min: 20 },
  { kind: 'tavily_key', prefixes: ['tvly-'], body: TOKEN, min: 16, accept: looksRandom },
  { kind: 'langsmith_key', prefixes: ['lsv2_pt_', 'lsv2_sk_'], body: TOKEN, min: 16 },
  { kind: 'google_oauth_token', prefixes: ['ya29.'], body: TOKEN, min: 16 },
  { kind: 'google_client_secret', prefixes: ['GOCSPX-'], body: TOKEN, min: 16 },
  { kind: 'npm_token', prefixes: ['npm_'], body: ALNUM, min: 20 },
  { kind: 'pypi_token', prefixes: ['pypi-AgE'], body: TOKEN, min: 20 },
  { kind: 'stripe_key', prefixes: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'], body: ALNUM, min: 10 },
  { kind: 'stripe_webhook_secret', prefixes: ['whsec_'], body: BASE64_PADDED, min: 20 },
  { kind: 'sendgrid_key', prefixes: ['SG.'], body: DOTTED, min: 40, accept: looksRandom },
  { kind: 'digitalocean_token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], body: HEX, min: 32 },
  { kind: 'databricks_token', prefixes: ['dapi'], body: HEX, min: 32 },
  { kind: 'linear_key', prefixes: ['lin_api_'], body: ALNUM, min: 20 },
  { kind: 'notion_token', prefixes: ['ntn_'], body: ALNUM, min: 30 },
  { kind: 'supabase_token', prefixes: ['sbp_'], body: HEX, min: 32 },
  { kind: 'shopify_token', prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_'], body: HEX, min: 24 },
  { kind: 'age_key', prefixes: ['AGE-SECRET-KEY-1'], body: UPPER_DIGIT, min: 40 },
  { kind: 'aws_access_key', prefixes: ['AKIA', 'ASIA'], body: UPPER_DIGIT, min: 16, accept: standsAlone },
  { kind: 'google_api_key', prefixes: ['AIza'], body: TOKEN, min: 30, accept: standsAlone },
  { kind: 'azure_key', prefixes: ['AccountKey=', 'SharedAccessKey='], body: BASE64_PADDED, min: 40 },
]

/** Prefixes that name what follows: they stay, and only the body is replaced. */
const NAMING = new Set(['AccountKey=', 'SharedAccessKey='])

export const shapeRules: readonly Rule[] = shapes.map(shapeRule)

function shapeRule(shape: Shape): Rule {
  return {
    name: shape.kind,
    rank: RANK.shape,
    atWordStart: true,
    mayHoldSlash: shape.body === BASE64_PADDED,
    probes: () => shape.prefixes.flatMap((prefix) => probesOf(prefix, shape.body)),
    check(input, at) {
      const prefix = shape.prefixes.find((candidate) => input.text.startsWith(candidate, at))
      if (prefix === undefined) return isCutPrefix(input, at, shape.prefixes) ? open(shape.kind, at) : null
      if (!beginsToken(input.text, at)) return null
      const bodyStart = at + prefix.length
      const end = runEnd(shape.body, input.text, bodyStart)
      const start = NAMING.has(prefix) ? bodyStart : at
      const unfinished = !input.final && end === input.text.length
      if (end - bodyStart < shape.min || (shape.accept !== undefined && !shape.accept(input.text, bodyStart, end))) {
        return unfinished ? open(shape.kind, start) : null
      }
      return { start, end, kind: shape.kind, rank: RANK.shape, open: unfinished }
    },
  }
}

function open(kind: string, start: number): Match {
  return { start, end: start, kind, rank: RANK.shape, open: true }
}

function isCutPrefix({ text, final }: Input, at: number, prefixes: readonly string[]): boolean {
  if (final || text.length - at > 24) return false
  const tail = text.slice(at)
  return prefixes.some((prefix) => prefix.startsWith(tail)) && beginsToken(text, at)
}

/** The first four characters; a prefix of three is followed by one that its body may begin with. */
function probesOf(prefix: string, body: CharClass): string[] {
  if (prefix.length >= 4) return [prefix.slice(0, 4)]
  return [prefix + charsOf(body)]
}

/** `sk-` also begins the names of style sheets: a key has digits and capitals, or one long piece with a digit. */
function looksRandom(text: string, from: number, to: number): boolean {
  if (!someIn(DIGIT, text, from, to)) return false
  if (someIn(UPPER, text, from, to)) return true
  for (let at = from; at < to; at = runEnd(ALNUM, text, at) + 1) {
    const end = runEnd(ALNUM, text, at)
    if (end - at >= 16 && someIn(DIGIT, text, at, end)) return true
  }
  return false
}

/** Made of base64 characters only, so it may turn up in an image by chance: then a long row of them stands before it. */
function standsAlone(text: string, from: number): boolean {
  const start = from - 4
  let before = start
  while (before > 0 && start - before < 40 && isIn(BASE64, text, before - 1)) before -= 1
  return start - before < 40
}
