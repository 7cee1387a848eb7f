/**
 * Whether the recorded program had module hooks on a thread. A tape without feature 7 does not have this
 * fact.
 */
import { hasFeature } from '../../tape/features.ts'
import type { TapeIndex } from './tape-index.ts'

/** The notes of `module.register`, and of a module loader. */
const HOOKS = /^(?:hooks on a thread of their own|modules are loaded by )/

export function recordedHooks({ header, notes }: Pick<TapeIndex, 'header' | 'notes'>): boolean {
  return !hasFeature(header, 'notedHooks') || notes.some(({ reason }) => HOOKS.test(reason))
}
