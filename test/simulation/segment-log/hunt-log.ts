/** Looks for what is wrong with a segment log until something is found, or enough was tried. */
import { exploreLog, type LogTally, newLogTally } from './explore-log.ts'

export async function huntLog(
  livesMax: number,
): Promise<{ readonly problem: string | undefined; readonly tally: LogTally }> {
  const tally = newLogTally()
  for (let life = 1; life <= livesMax; life++) {
    const [problem] = await exploreLog({ seed: life * 1000 }, tally)
    if (problem !== undefined) return { problem, tally }
  }
  return { problem: undefined, tally }
}
