export * from './clock.ts'
export * from './fs.ts'
export * from './process.ts'
export * from './random.ts'
