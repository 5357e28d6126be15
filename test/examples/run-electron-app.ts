/** Runs an app of the Electron example as it is installed: its own imports of `electron` and `varve`, in a folder of packages. */
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FakeElectron } from './fake-electron.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A folder with the example, in which `varve` is installed. */
export async function installExample() {
  const project = await mkdtemp(join(tmpdir(), 'varve-electron-app-'))
  // Below `node_modules`, vitest leaves modules as they are, and Node loads them.
  const modules = join(project, 'node_modules')
  const place = join(modules, 'example')
  await cp(join(root, 'examples', 'electron'), place, { recursive: true })
  await symlink(join(root, 'packages', 'varve'), join(modules, 'varve'), 'dir')
  await symlink(join(root, 'node_modules', '@types'), join(modules, '@types'), 'dir')
  await cp(join(root, 'test', 'examples', 'electron-types'), join(modules, 'electron'), { recursive: true })
  const electron = { name: 'electron', main: 'index.mjs', types: 'index.d.ts' }
  await writeFile(join(modules, 'electron', 'package.json'), JSON.stringify(electron))
  return { project, place, remove: () => rm(project, { recursive: true, force: true }) }
}

const globalName = 'standInForElectron'

/** Starts the app with the stand-in. Resolves when its module is loaded and the app is ready, not when its window is there. */
export async function runApp(
  { project, place }: { readonly project: string; readonly place: string },
  entry: string,
  { isFirst = true } = {},
): Promise<FakeElectron> {
  const electron = new FakeElectron({ userData: join(project, 'data'), temp: join(project, 'temp') }, isFirst)
  const { modules } = electron
  const names = Object.keys(modules).join(', ')
  const module = join(project, 'node_modules', 'electron', 'index.mjs')
  await writeFile(module, `export const { ${names} } = globalThis.${globalName}\n`)
  Object.assign(globalThis, { [globalName]: modules })
  await import(/* @vite-ignore */ pathToFileURL(join(place, entry)).href)
  electron.app.loaded()
  return electron
}
