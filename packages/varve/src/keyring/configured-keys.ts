import { combineKeys, isEmpty, keysFromEnvironment, type KeyMaterial } from './key-material.ts'
import { loadKeyringFile } from './keyring-file.ts'

/** Keys from the environment, followed by those of the file. @throws StorageError `InvalidArgument` */
export async function configuredKeys(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<KeyMaterial | undefined> {
  const fromFile = file === undefined ? [] : [await loadKeyringFile(file)]
  const material = combineKeys(keysFromEnvironment(env), ...fromFile)
  return isEmpty(material) ? undefined : material
}
