/** A loose object, the folder of some, or a file of a pack, in the store of a repository or of a submodule. Not what replaces files, such as indexes. */
const OBJECT =
  /(?:^|\/)[^/]*\.[gG][iI][tT]\/(?:modules\/(?!.*\/(?:refs|logs)\/).+\/)?objects\/(?:[0-9a-f]{2}(?:\/[0-9a-f]{38,62})?|pack\/pack-[0-9a-f]{40,64}\.[a-z]+)$/u;

/** Whether a path is one of objects of git, which are only added: what they are called says what is in them. */
export const isObjectPath = (path: string): boolean => OBJECT.test(path);
