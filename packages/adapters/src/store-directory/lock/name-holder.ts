/** Finds the process that listens on an abstract socket. `/proc` shows only processes that this one may inspect. */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { allDone } from '../../files/all-done.ts'

export interface NameHolder {
  readonly pid: number
  /** The real user id: the user that started the program, whatever its permissions are. */
  readonly uid: number
}

/** The processes that listen under the name, as far as `/proc` shows them. */
export async function holdersOfName(name: string): Promise<readonly NameHolder[]> {
  const targets = (await listenersOf(name)).map((inode) => `socket:[${inode}]`)
  if (targets.length === 0) return []
  const pids = (await orNone(() => readdir('/proc'))).filter((each) => /^\d+$/.test(each))
  const holders: NameHolder[] = []
  for (const pid of pids) {
    if (!(await hasOpen(pid, targets))) continue
    const uid = await userOf(pid)
    if (uid !== undefined) holders.push({ pid: Number(pid), uid })
  }
  return holders
}

/** `SO_ACCEPTCON`: a listener. Its connections have the same name. */
const listens = 0x1_00_00

/**
 * The inodes of the listeners. A line has a number, references, protocol, flags, type, state, inode and path. In a path
 * `@` stands for NUL: an abstract name begins with one, and some releases of Node pad the name with more.
 */
async function listenersOf(name: string): Promise<readonly string[]> {
  const lines = (await readFile('/proc/net/unix', 'utf8').catch(() => '')).split('\n')
  return lines.flatMap((line) => {
    const [, , , flags = '', , , inode = '', path = ''] = line.trim().split(/\s+/)
    const isListener = (Number.parseInt(flags, 16) & listens) !== 0
    return isListener && path.replace(/@+$/, '') === `@${name}` ? [inode] : []
  })
}

async function hasOpen(pid: string, wanted: readonly string[]): Promise<boolean> {
  const directory = join('/proc', pid, 'fd')
  const descriptors = await orNone(() => readdir(directory))
  const targets = await allDone(descriptors.map((each) => readlink(join(directory, each)).catch(() => '')))
  return targets.some((target) => wanted.includes(target))
}

/** Not the owner of `/proc/PID`: that is root for every process that forbids inspection. */
async function userOf(pid: string): Promise<number | undefined> {
  const status = await readFile(join('/proc', pid, 'status'), 'utf8').catch(() => '')
  const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? []
  return uid === undefined ? undefined : Number(uid)
}

const orNone = (list: () => Promise<string[]>): Promise<string[]> => list().catch(() => [])
