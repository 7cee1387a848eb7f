export default { test: { include: ['vitest-host.mjs'], pool: 'forks' } }
