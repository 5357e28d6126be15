/** Functions of `node:fs/promises` that are tried again when they fail for a moment, for modules without a port of the file system. */
import * as node from 'node:fs/promises'
import { patiently, transientOfRemovals } from './patience.ts'

/** What the module has when it is called, as with an import. */
const live = <N extends Exclude<keyof typeof node, 'constants'>>(name: N): (typeof node)[N] =>
  ((...args: never[]) => (node[name] as (...args: never[]) => unknown)(...args)) as never

export const chmod: typeof node.chmod = patiently(live('chmod'))
export const copyFile: typeof node.copyFile = patiently(live('copyFile'))
export const link: typeof node.link = patiently(live('link'))
export const mkdir = patiently(live('mkdir')) as typeof node.mkdir
export const mkdtemp = patiently(live('mkdtemp')) as typeof node.mkdtemp
export const open: typeof node.open = patiently(live('open'))
export const opendir = patiently(live('opendir')) as typeof node.opendir
export const readFile = patiently(live('readFile')) as typeof node.readFile
export const readdir = patiently(live('readdir')) as typeof node.readdir
export const rename: typeof node.rename = patiently(live('rename'))
export const rm: typeof node.rm = patiently(live('rm'), { codes: transientOfRemovals })
export const rmdir: typeof node.rmdir = patiently(live('rmdir'))
export const symlink: typeof node.symlink = patiently(live('symlink'))
export const unlink: typeof node.unlink = patiently(live('unlink'))
export const writeFile = patiently(live('writeFile')) as typeof node.writeFile
