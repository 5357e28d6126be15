/** Rates over HTTP that show what the load generator can send, and not what the server can answer. */
import type { Figures } from './results.ts'

/** One processor counts as used up from this share on: the kernel and the timer always take a part of it. */
export const boundShare = 0.85

/**
 * Whether the generator used up its processor while the server did not use up one. Results of older releases have no
 * share of the server, so they are never marked.
 */
export const isBoundByGenerator = ({ generatorCpu, serverCpu }: Pick<Figures, 'generatorCpu' | 'serverCpu'>): boolean =>
  generatorCpu !== undefined &&
  serverCpu !== undefined &&
  generatorCpu.median > boundShare &&
  serverCpu.median <= boundShare
