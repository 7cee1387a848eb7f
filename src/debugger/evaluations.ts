/**
 * Which messages of a debugger's client run code in the program, and which of them change its variables.
 * Reading must leave the run as it was; an assignment makes the verdict `unverified`.
 */
import { isObject, textOf, type UnknownObject } from '../base/index.ts'

/** `evaluate`: runs code. `change`: assigns, too. `resume`: the program goes on. `other`: neither. */
export type MessageKind = 'evaluate' | 'change' | 'resume' | 'other'

const RESUMES: ReadonlySet<string> = new Set([
  'Debugger.resume',
  'Debugger.stepInto',
  'Debugger.stepOver',
  'Debugger.stepOut',
  'Debugger.continueToLocation',
  'Debugger.restartFrame',
])
const CHANGES: ReadonlySet<string> = new Set([
  'Debugger.setVariableValue',
  'Debugger.setReturnValue',
  'Debugger.setScriptSource',
])

export function messageKind(method: string, params: UnknownObject): MessageKind {
  if (RESUMES.has(method)) return 'resume'
  if (CHANGES.has(method)) return 'change'
  switch (method) {
    case 'Runtime.evaluate':
    case 'Debugger.evaluateOnCallFrame':
      return assigns(textOf(params.expression) ?? '') && params.throwOnSideEffect !== true
        ? 'change'
        : 'evaluate'
    case 'Runtime.callFunctionOn':
      return /\bthis(\.[\w$]+|\[[^\]]*\])+\s*=[^=>]/.test(textOf(params.functionDeclaration) ?? '')
        ? 'change'
        : 'evaluate'
    case 'Runtime.getProperties':
    case 'Runtime.runScript':
      return 'evaluate'
    default:
      return 'other'
  }
}

export type ClientMessage = { readonly id: number; readonly method: string; readonly params: UnknownObject }

/** A debugger's message: null for anything else. */
export function readMessage(text: string): ClientMessage | null {
  const message: unknown = JSON.parse(text)
  if (!isObject(message) || typeof message.id !== 'number' || typeof message.method !== 'string') return null
  return { id: message.id, method: message.method, params: isObject(message.params) ? message.params : {} }
}

/**
 * Whether an expression assigns to anything: `=`, `+=`, `++`, `delete`. Strings, templates, comments and
 * comparisons do not count. A declaration counts: it may shadow a variable of the program.
 */
function assigns(expression: string): boolean {
  const code = expression
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' ')
    .replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g, '""')
  return /\+\+|--|\bdelete\b|(?<![=!<>])=(?![=>])|(?:<<|>>|>>>)=/.test(code)
}
