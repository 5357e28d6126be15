/** Which process listens on an abstract socket, as `/proc` shows it. It shows only processes that this one may look into. */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { allDone } from '../../files/all-done.ts'

export interface NameHolder {
  readonly pid: number
  /** The real user id: of the user that started the program, whatever it is allowed. */
  readonly uid: number
}

/** Those that `/proc` shows, of all that listen under the name. */
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

/** `SO_ACCEPTCON`: connections of a listener have its name too. */
const listens = 0x1_00_00

/**
 * Their inodes. A line has a number, references, protocol, flags, type, state, inode and path, where `@` stands for NUL: one begins an
 * abstract name, and some releases of Node fill it up with them.
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

/** Not the owner of `/proc/PID`: that is root for every process which forbids looking into it. */
async function userOf(pid: string): Promise<number | undefined> {
  const status = await readFile(join('/proc', pid, 'status'), 'utf8').catch(() => '')
  const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? []
  return uid === undefined ? undefined : Number(uid)
}

const orNone = (list: () => Promise<string[]>): Promise<string[]> => list().catch(() => [])
