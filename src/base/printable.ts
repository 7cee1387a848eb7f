/**
 * Text from a tape is hostile: it may hold escape sequences, line breaks or direction marks that would change
 * what a terminal or a log shows. `printable` gives one line in which each of those is visible and none acts.
 */
const HOSTILE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

const BEYOND_ASCII_HOSTILE =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

export function printable(text: string, maxLength = 2000): string {
  const cut =
    text.length > maxLength
      ? `${text.slice(0, maxLength)}… (${text.length - maxLength} more characters)`
      : text
  return cut.replace(HOSTILE, escapeUnit)
}

function escapeUnit(unit: string): string {
  if (unit === '\n') return '\\n'
  if (unit === '\t') return '\\t'
  const code = unit.charCodeAt(0)
  return code < 0x100
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * The same text as JSON, with every character that could act on a terminal as an escape. The value does not
 * change.
 */
export function printableJson(json: string): string {
  return json.replace(
    BEYOND_ASCII_HOSTILE,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
