/** The used part of the package, which has no types of its own. */
declare module 'fs-native-extensions' {
  const extensions: {
    /** `false` when another owner holds it. Shared: among readers. @throws for a file system without locks */
    tryLock(fd: number, options?: { readonly shared?: boolean }): boolean
  }
  export default extensions
}
