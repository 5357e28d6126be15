/** Processes that go on after the command: each has a file with its id, and one with what it prints. */
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { descendantsOf, startOf } from './process-table.mjs'

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

/** Ends it as a crash does, with all that it has started. */
export async function crash(dir, name) {
  const ids = allIdsOf(dir, name)
  for (const id of ids) signal(id, 'SIGKILL')
  // Until its parent has noticed the end, other programs believe that it runs.
  for (const until = Date.now() + endMs; ids.some((id) => existsSync(`/proc/${id}`)) && Date.now() < until; ) {
    await delay(50)
  }
}

/** Stands still until `resume`, as a machine without processor time does. */
export const pause = (dir, name) => allIdsOf(dir, name).forEach((id) => signal(id, 'SIGSTOP'))
export const resume = (dir, name) => allIdsOf(dir, name).forEach((id) => signal(id, 'SIGCONT'))

/** Ends the server of PostgreSQL, and leaves the program that has started it. */
export const crashServer = (dir, name) => descendantsOf(serverOf(dir, name)).forEach((id) => signal(id, 'SIGKILL'))

export async function end(dir, name) {
  signal(idOf(dir, name), 'SIGTERM')
  for (const until = Date.now() + endMs; isRunning(dir, name) && Date.now() < until; ) await delay(50)
  await crash(dir, name)
  rmSync(idFile(dir, name), { force: true })
}

/** Of a program and of the server of PostgreSQL that it may have started, the program first: it would start the server again. */
const allIdsOf = (dir, name) => [...descendantsOf(idOf(dir, name)), ...descendantsOf(serverOf(dir, name))]

/** The server that runs on the data of a member. It is no child of Patroni. */
function serverOf(dir, name) {
  const data = join(dir, name, 'data')
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data) ? pid : undefined
  } catch {
    return undefined
  }
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
