/** Functions of `node:fs/promises` that are tried again when they fail for a moment. */
import { patientFiles } from '@varve/adapters'

export const {
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  open,
  opendir,
  readFile,
  readdir,
  rename,
  rm,
  rmdir,
  unlink,
  writeFile,
} = patientFiles
