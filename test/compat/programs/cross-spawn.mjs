// What cross-spawn does: a program on the PATH, one with a shebang beside the program, a missing one, the
// synchronous form.
import spawn from 'cross-spawn'

const say = (step, ...what) => console.log(step, JSON.stringify(what))
const run = (...args) =>
  new Promise((resolve) => {
    const child = spawn(...args)
    let out = ''
    child.stdout?.on('data', (bytes) => (out += bytes))
    child.on('error', ({ code, syscall, path, spawnargs }) => resolve({ code, syscall, path, spawnargs }))
    child.on('close', (exit, signal) => resolve({ exit, signal, out }))
  })

say('run', await run('echo', ['a b', '"quoted"', '$HOME']))
say('exit', await run('sh', ['-c', 'exit 5']))
say('shebang', await run('./tool', ['x']))
say('missing', await run('no-such-program', ['y']))
say('inherit', await run('echo', ['inherited'], { stdio: 'inherit' }))
const result = spawn.sync('cat', [], { input: 'given', encoding: 'utf8' })
say('sync', result.stdout, result.status)
say('sync missing', spawn.sync('no-such-program').error.code)
