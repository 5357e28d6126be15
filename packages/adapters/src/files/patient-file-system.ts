/**
 * A file system whose calls are tried again when they fail for a moment. An fsync is never tried again, because its second call would
 * succeed for lost bytes: open files are passed on as they are.
 */
import type { FileSystem } from './file-system.ts'
import { type Call, type Patience, patientAs, patiently, transientOfLinks } from './patience.ts'

/** The same file system, with further attempts. Calls that have them get no second set of them. */
export function patient<F extends FileSystem>(fs: F, patience: Patience = {}): F {
  const again = <C extends Call>(call: C, codes?: ReadonlySet<string>): C =>
    patiently(patientAs(call, call.bind(fs) as C), { ...patience, ...(codes && { codes }) })
  const calls: FileSystem = {
    open: again(fs.open),
    mkdir: again(fs.mkdir),
    rename: again(fs.rename),
    unlink: again(fs.unlink),
    readdir: again(fs.readdir),
    stat: again(fs.stat),
    sizes: again(fs.sizes),
    statfs: again(fs.statfs),
    ...(fs.link && { link: again(fs.link, transientOfLinks) }),
    ...(fs.pin && { pin: fs.pin.bind(fs) }),
    ...(fs.entries && { entries: fs.entries.bind(fs) }),
  }
  return calls as F
}
