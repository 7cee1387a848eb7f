export type Cell = { readonly kind: string; readonly channel: string; readonly encoding: string }
export const kinds: readonly string[]
export const encodings: readonly string[]
export const encoders: Readonly<Record<string, (text: string) => string>>
export function isKnown(kind: string): boolean
export function secretOf(seed: number | string, cell: Cell): string
export function messageOf(seed: number | string, cell: Cell): string
export function variableOf(cell: Cell): string
export function messageIn(env: NodeJS.ProcessEnv, seed: number | string, cell: Cell): string
