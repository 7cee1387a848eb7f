export const channels: Readonly<Record<string, unknown>>
