/** Unmounting what this process itself has used. */
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { run } from './run.ts'

const triesMax = 20

/**
 * libsql keeps the files of a closed connection until its statements are garbage collected. There is no other way to
 * release them.
 */
export async function unmount(point: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await run('umount', point))
    } catch (error) {
      if (tries === triesMax || !(error instanceof Error && error.message.includes('busy'))) throw error
      collectGarbage()
      await delay(20)
    }
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}
