import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // Vitest would leave one core idle, and the suite would take twice as long on two.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/support/closing-line.ts'],
    env: { NO_COLOR: '1' },
    setupFiles: ['./test/support/quick-start.ts'],
  },
})
