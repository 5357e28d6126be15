/**
 * Sets V8 for a process that only serves. The settings are for the whole process, so a program that embeds a store decides about
 * them: docs/performance.md names those that make requests cheaper.
 */
import { setFlagsFromString } from 'node:v8'

/**
 * By default V8 lets garbage grow to several times the memory in use before it marks the whole heap; on a machine with much memory
 * this can be hundreds of MiB. So the garbage of an attack would stay for minutes. Now it collects when the heap has grown by half.
 */
const memory = ['--heap-growing-percent=50']

/** A request runs through many small functions, and V8 stops early to inline them: ADR 53. */
const speed = ['--max-inlined-bytecode-size-cumulative=4000', '--min-inlining-frequency=0.05']

/** The newest V8 with which the flags were tried: one that does not know a flag would complain. */
const triedMax = 13

/** V8 reads a flag when it needs it, so the flags apply from then on. */
export function tuneRuntime(): void {
  const isTried = Number.parseInt(process.versions.v8, 10) <= triedMax
  for (const flag of isTried ? [...memory, ...speed] : memory) setFlagsFromString(flag)
}
