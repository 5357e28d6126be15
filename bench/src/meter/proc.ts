/**
 * What Linux reports about a process under `/proc`. `undefined` or empty for a process that has just ended, and on
 * other systems.
 */
import { readFileSync } from 'node:fs'

type Pid = string | number

/** Bytes that were written to the medium for the process. */
export const bytesWritten = (pid: Pid): number | undefined => figureIn(read(pid, 'io'), /^write_bytes: (\d+)$/m)

/** Bytes, without pages of mapped files. */
export function ownMemory(pid: Pid): number | undefined {
  const kibibytes = figureIn(read(pid, 'status'), /^RssAnon:\s+(\d+) kB$/m)
  return kibibytes === undefined ? undefined : kibibytes * 1024
}

/** The fields after the name of the program, which may contain spaces and brackets. The first one is the state. */
export function statFields(pid: Pid): readonly string[] {
  const stat = read(pid, 'stat')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function figureIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)
  return found === null ? undefined : Number(found[1])
}

function read(pid: Pid, file: 'io' | 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
