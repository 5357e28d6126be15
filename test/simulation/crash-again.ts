/** The power fails again while something comes up: at some effect of that, or when it is up, should it be so by then. */
import type { Random } from '../support/random.ts'
import { World } from './world.ts'

export interface Rising<Image> {
  comeUp(): Promise<unknown>
  /** What is left when it ends just now. `isUp` is true when no effects are pending any more. */
  cut(isUp: boolean): Image
}

/** `within`: the number of the effect before which it ends is drawn from below this. */
export async function crashAgain<Image>(
  random: Random,
  within: number,
  begin: (world: World) => Rising<Image>,
): Promise<Image> {
  const at = random.below(within)
  let caught: Image | undefined
  const world: World = new World({
    random,
    now: 0,
    onRest: (step) => {
      if (step === at) caught = rising.cut(false)
    },
  })
  const rising = begin(world)
  world.start()
  void rising.comeUp().catch(() => undefined)
  await world.run()
  return caught ?? rising.cut(true)
}
