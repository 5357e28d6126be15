/** Processes that go on after the command: each has a file with its id, and one with what it prints. */
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const startMs = 60_000
const endMs = 20_000

const idFile = (dir, name) => join(dir, `${name}.pid`)

/** Starts it, and resolves when it is ready. @throws Error with the place of its output */
export async function start(dir, { name, prepare, command, env = {}, user = {}, ready }) {
  await prepare?.()
  const output = join(dir, `${name}.log`)
  const log = openSync(output, 'a')
  const [program, ...args] = command
  const child = spawn(program, args, {
    ...user,
    cwd: '/',
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.on('error', (error) => console.error(error.message))
  child.unref()
  if (child.pid === undefined) throw new Error(`${name} cannot be started.`)
  writeFileSync(idFile(dir, name), `${child.pid} ${startOf(child.pid)}`)
  for (const until = Date.now() + startMs; !(await ready().catch(() => false)); await delay(100)) {
    if (!isRunning(dir, name) || Date.now() > until) throw new Error(`${name} does not start: see ${output}.`)
  }
}

export const isRunning = (dir, name) => idOf(dir, name) !== undefined

/** Ends it as a crash does. */
export async function crash(dir, name) {
  const pid = idOf(dir, name)
  if (pid === undefined) return
  signal(pid, 'SIGKILL')
  // Until its parent has noticed the end, other programs believe that it runs.
  for (const until = Date.now() + endMs; existsSync(`/proc/${pid}`) && Date.now() < until; ) await delay(50)
}

/** Stands still until `resume`, as a machine without processor time does. */
export const pause = (dir, name) => signal(idOf(dir, name), 'SIGSTOP')
export const resume = (dir, name) => signal(idOf(dir, name), 'SIGCONT')

export async function end(dir, name) {
  signal(idOf(dir, name), 'SIGTERM')
  for (const until = Date.now() + endMs; isRunning(dir, name) && Date.now() < until; ) await delay(50)
  await crash(dir, name)
  rmSync(idFile(dir, name), { force: true })
}

function signal(pid, name) {
  if (pid === undefined) return
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** An id that another process has now is not ours. */
function idOf(dir, name) {
  let noted
  try {
    noted = readFileSync(idFile(dir, name), 'utf8')
  } catch {
    return undefined
  }
  const [pid, started] = noted.split(' ')
  return startOf(Number(pid)) === started ? Number(pid) : undefined
}

/** When a process began, in ticks since the machine did. `undefined` for one that has ended. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : fields[18]
  } catch {
    return undefined
  }
}
