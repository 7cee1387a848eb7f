import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'forks',
    // Vitest would leave one core idle, and the suite would take twice as long on two.
    maxWorkers: 2,
    // Real servers, children and terminals are under test on machines that are busy: what fails twice in a row is a fault, and a second try is shown.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/support/closing-line.ts'],
    env: { NO_COLOR: '1' },
    setupFiles: ['./test/support/quick-start.ts'],
  },
})
