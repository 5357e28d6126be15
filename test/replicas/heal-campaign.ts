/** Many damaged stores in several layouts, one after another. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LayoutName } from '@varve/adapters'
import { type HealMaterial, makeHealMaterial } from './heal-material.ts'
import { healTrial, type HealVerdict } from './heal-trial.ts'

const layouts: readonly LayoutName[] = [
  'level+files',
  'level+tiered',
  'segments+segments',
  'lmdb+files',
  'sqlite+tiered',
]

export interface HealCampaign {
  readonly directory: string
  readonly from: number
  /** How many files, rows or events are damaged. @default one store */
  readonly damages?: number
  onVerdict?(verdict: HealVerdict): void
}

export async function healCampaign({
  directory,
  from,
  damages = 1,
  onVerdict,
}: HealCampaign): Promise<readonly HealVerdict[]> {
  const materials = new Map<LayoutName, HealMaterial>()
  const materialOf = async (layout: LayoutName): Promise<HealMaterial> => {
    const known = materials.get(layout)
    if (known !== undefined) return known
    const home = join(directory, layout)
    await mkdir(home, { recursive: true })
    const made = await makeHealMaterial(home, layout)
    materials.set(layout, made)
    return made
  }
  const verdicts: HealVerdict[] = []
  for (let [seed, done] = [from, 0]; done < damages; seed++) {
    const material = await materialOf(layouts[seed % layouts.length] as LayoutName)
    const verdict = await healTrial(material, join(directory, 'trial'), seed)
    verdicts.push(verdict)
    done += verdict.damages
    onVerdict?.(verdict)
  }
  return verdicts
}
