/**
 * Names that mark their value as a secret: JSON fields, headers, URL parameters and environment variables.
 * Also names that look secret but must never be touched, because a protocol returns their values unchanged.
 */

/**
 * Lower case, without `_`, `-`, `.` and blanks: `clientSecret`, `client_secret` and `Client-Secret` are one
 * name.
 */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[_\-.\s]/g, '')
}

const SECRET_FIELDS = new Set(
  `authorization proxyauthorization cookie cookies setcookie apikey xapikey xamzsecuritytoken xauthtoken xcsrftoken xxsrftoken accesstoken refreshtoken
   idtoken bearertoken clientsecret password passwd pwd pass passphrase passcode secret secretkey secretaccesskey privatekey sessiontoken authtoken credential
   credentials accountkey sharedaccesskey connectionstring webhooksecret signingsecret signingkey encryptionkey accesskey masterkey`.split(
    /\s+/,
  ),
)
const SECRET_FIELD_ENDS = [
  'token',
  'secret',
  'password',
  'apikey',
  'passphrase',
  'privatekey',
  'secretkey',
  'accesskey',
]

/** Names that end like a secret but are none: cursors, progress tokens, the special tokens of a tokenizer. */
const ROUND_TRIP_FIELDS = new Set(
  `progresstoken nextpagetoken pagetoken previouspagetoken prevpagetoken nexttoken continuationtoken nextcontinuationtoken synctoken nextsynctoken
   pagingtoken starttoken endtoken stoptoken eostoken bostoken padtoken unktoken septoken clstoken masktoken maxtoken mintoken newtoken cachetoken
   clientrequesttoken idempotencytoken ifmatchtoken tasktoken firsttoken lasttoken inputtoken outputtoken costpertoken pertoken timeperoutputtoken
   timetofirsttoken countertoken resumetoken`.split(/\s+/),
)

export function isRoundTripName(name: string): boolean {
  return ROUND_TRIP_FIELDS.has(plainName(name))
}

/** Values that only their creator can interpret: not even shapes are searched for in these. */
const OPAQUE_FIELDS = new Set(
  `signature thoughtsignature encryptedcontent encryptedreasoning cursor nextcursor pagecursor endcursor startcursor traceparent tracestate tooluseid toolcallid callid
   progresstoken nextpagetoken pagetoken continuationtoken nexttoken b64json inlinedata`.split(/\s+/),
)

/**
 * The OAuth fields, and the credentials that AWS issues: the only names that count in data that the program
 * receives.
 */
const RECEIVED_FIELDS = new Set(
  'accesstoken refreshtoken idtoken clientsecret devicecode secretaccesskey sessiontoken'.split(' '),
)

export type NameRules = {
  isSecretField(name: string): boolean
  isReceivedSecretField(name: string): boolean
  isOpaqueField(name: string): boolean
  isSecretHeader(name: string): boolean
  isSecretParam(name: string): boolean
  isSecretVariable(name: string): boolean
}

export type NameOptions = {
  readonly fields?: readonly string[]
  readonly headers?: readonly string[]
  readonly params?: readonly string[]
  readonly variables?: readonly string[]
  readonly allowFields?: readonly string[]
  readonly allowHeaders?: readonly string[]
  readonly allowParams?: readonly string[]
  readonly allowVariables?: readonly string[]
}

export function nameRules(options: NameOptions = {}): NameRules {
  return {
    isSecretField: decide(options.fields, options.allowFields, isSecretField),
    isReceivedSecretField: decide([], options.allowFields, (name) => RECEIVED_FIELDS.has(name)),
    isOpaqueField: (name) => OPAQUE_FIELDS.has(plainName(name)),
    isSecretHeader: decide(options.headers, options.allowHeaders, isSecretHeader),
    isSecretParam: decide(options.params, options.allowParams, isSecretParam),
    isSecretVariable: decideVariable(options.variables, options.allowVariables),
  }
}

/**
 * The user's settings decide; allowed names come first. Results are cached, because the same few names
 * repeat.
 */
function decide(
  extra: readonly string[] = [],
  allowed: readonly string[] = [],
  otherwise: (plain: string, name: string) => boolean,
): (name: string) => boolean {
  const yes = new Set(extra.map(plainName))
  const no = new Set(allowed.map(plainName))
  const answers = new Map<string, boolean>()
  return (name) => {
    const known = answers.get(name)
    if (known !== undefined) return known
    const plain = plainName(name)
    const member = memberName(plain)
    const isAllowed = no.has(plain) || no.has(member)
    const answer = !isAllowed && (yes.has(plain) || yes.has(member) || otherwise(member, name))
    if (answers.size < 4096 && name.length < 200) answers.set(name, answer)
    return answer
  }
}

/** Forms and queries write members as `user[password]`, and lists as `tokens[]`. */
function memberName(plain: string): string {
  return /\[([^[\]]+)\](?:\[\d*\])*$/.exec(plain)?.[1] ?? plain.replace(/(?:\[\d*\])+$/, '')
}

function decideVariable(
  extra: readonly string[] = [],
  allowed: readonly string[] = [],
): (name: string) => boolean {
  return extra.length === 0 && allowed.length === 0
    ? isSecretVariable
    : decide(extra, allowed, (_plain, name) => isSecretVariable(name))
}

function isSecretField(plain: string): boolean {
  if (ROUND_TRIP_FIELDS.has(plain)) return false
  return SECRET_FIELDS.has(plain) || SECRET_FIELD_ENDS.some((end) => plain.endsWith(end))
}

const SAFE_HEADERS = new Set(
  `contentlength contenttype requestid useragent xa2adelivery xcorrelationid xgithubdelivery xgithubevent xgithubhookid xrequestid
   xslackrequesttimestamp idempotencykey xidempotencykey secwebsocketkey secwebsocketaccept surrogatekey cachekey xcachekey partitionkey publickeypins
   traceparent tracestate accesscontrolallowheaders accesscontrolexposeheaders ifmatch xclienttracetoken wwwauthenticate proxyauthenticate
   xamzncsignedheaders signatureinput`.split(/\s+/),
)

function isSecretHeader(plain: string, name: string): boolean {
  if (
    SAFE_HEADERS.has(plain) ||
    plain.includes('timestamp') ||
    plain.includes('requestid') ||
    plain.endsWith('event') ||
    plain.endsWith('delivery')
  )
    return false
  if (plain.includes('ratelimit')) return false
  if (plain === 'heliconeauth' || plain.endsWith('proxyauth')) return true
  if (/authorization|cookie|secret|signature|password|credential/.test(plain)) return true
  return /(?:^|[-_])(?:x?api)?(?:key|token)$|(?:^|[-_])(?:key|token)(?:[-_]|$)|(?:token|apikey)$/i.test(name)
}

const SECRET_PARAMS = new Set(
  `key apikey accesstoken refreshtoken idtoken clientsecret password passwd pwd secret token auth authorization bearer sig signature xamzsignature
   xamzsecuritytoken xamzcredential xgoogsignature xgoogcredential code codeverifier assertion clientassertion sharedaccesssignature subscriptionkey pass`.split(
    /\s+/,
  ),
)

function isSecretParam(plain: string): boolean {
  if (ROUND_TRIP_FIELDS.has(plain)) return false
  return SECRET_PARAMS.has(plain) || SECRET_FIELD_ENDS.some((end) => plain.endsWith(end))
}

/** A word that makes a name secret at any position: `SERVICE_TOKEN_STAGING`, `DB_PASS_PROD`. */
const SECRET_WORDS = new Set(
  `TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE PASS PWD APIKEY APIKEYS PAT CREDENTIAL CREDENTIALS CREDS
   BEARER JWT COOKIE COOKIES AUTHORIZATION SSHPASS`.split(/\s+/),
)
/** The last word of a name, or the whole name. */
const SECRET_LAST_WORDS = new Set('KEY KEYS SK AUTH WEBHOOK DSN'.split(' '))
const SECRET_VARIABLE_PARTS = [
  ...[
    'API_KEY',
    'APIKEY',
    'ACCESS_KEY',
    'ACCESSKEY',
    'SECRET',
    'PASSWORD',
    'PASSWD',
    'PASSPHRASE',
    'PRIVATE_KEY',
    'PRIVATEKEY',
  ],
  ...['AUTH_TOKEN', 'AUTHTOKEN', 'ACCESS_TOKEN', 'ACCESSTOKEN', 'CONNECTION_STRING'],
]
const SECRET_VARIABLE_ENDS = ['TOKEN', 'PASS', '_KEY_ID', '_WEBHOOK_URL']
const PLAIN_VARIABLE_ENDS = [
  ...[
    '_FILE',
    '_PATH',
    '_DIR',
    '_NAME',
    '_HOST',
    '_PORT',
    '_TYPE',
    '_SOCK',
    '_ENABLED',
    '_LIFETIME',
    '_TTL',
    '_EXPIRY',
    '_EXPIRES',
  ],
  ...['_VERSION', '_PREFIX', '_HEADER', '_COUNT', '_LIMIT', '_BUDGET', '_LENGTH', '_SIZE'],
]
const PLAIN_VARIABLES = new Set([
  'PWD',
  'OLDPWD',
  'SSH_AUTH_SOCK',
  'GPG_KEY_ID',
  'INIT_CWD',
  'COMPASS',
  'BYPASS',
])
/** `MAX_OUTPUT_TOKENS` counts tokens of a model. */
const COUNTING = new Set(
  'MAX MIN NUM TOTAL INPUT OUTPUT CONTEXT COMPLETION PROMPT THINKING BUDGET LIMIT COUNT PER CACHED REASONING'.split(
    ' ',
  ),
)

/**
 * Without regular expressions: every variable is checked before the first line of the program, and compiling
 * one expression takes longer than all the checks.
 */
function isSecretVariable(name: string): boolean {
  const upper = name.toUpperCase()
  const words = upper.replaceAll('.', '_').replaceAll('-', '_').split('_').map(withoutNumber)
  const looksSecret =
    words.some(
      (word) => SECRET_WORDS.has(word) && !(word === 'TOKENS' && words.some((other) => COUNTING.has(other))),
    ) ||
    SECRET_LAST_WORDS.has(words[words.length - 1] ?? '') ||
    upper === 'WEBHOOK_URL' ||
    SECRET_VARIABLE_ENDS.some((end) => upper.endsWith(end)) ||
    SECRET_VARIABLE_PARTS.some((part) => upper.includes(part))
  return looksSecret && !PLAIN_VARIABLES.has(upper) && !PLAIN_VARIABLE_ENDS.some((end) => upper.endsWith(end))
}

/** `TOKEN1` is a token like `TOKEN`. */
function withoutNumber(word: string): string {
  let end = word.length
  while (end > 0 && word.charCodeAt(end - 1) >= 0x30 && word.charCodeAt(end - 1) <= 0x39) end -= 1
  return word.slice(0, end)
}
