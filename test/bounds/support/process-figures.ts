/** What Linux reports about another process: its memory, its open files, its processor time. */
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'

/** Bytes. */
export interface Memory {
  readonly resident: number
  /** Without mapped files: LevelDB maps its tables, and those pages can be dropped at any time. */
  readonly own: number
  /** Resident pages of mapped files. */
  readonly mapped: number
  /** The most that was resident since the start, or since `resetPeak`. */
  readonly peak: number
}

export async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024
  return { resident: field('VmRSS'), own: field('RssAnon'), mapped: field('RssFile'), peak: field('VmHWM') }
}

export const resetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5')

/** What the process has open: paths, sockets and pipes. */
export async function handlesOf(pid: number): Promise<readonly string[]> {
  const directory = `/proc/${pid}/fd`
  const links = await Promise.all(
    (await readdir(directory)).map((fd) => readlink(`${directory}/${fd}`).catch(() => '')),
  )
  return links.filter((link) => link !== '')
}

/** Seconds of processor time, of the program and of the system for it. */
export async function processorSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name may hold spaces; what follows its bracket does not. Fields 14 and 15, in hundredths.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Why nothing can be measured here; `undefined` where it can. */
export const unmeasurable: string | undefined =
  process.platform === 'linux'
    ? undefined
    : `Memory and handles of a process are read from /proc, not on ${process.platform}.`
