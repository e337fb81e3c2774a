// A plugin of TypeDoc: leaves out what the reference need not say, and lists the errors of a function under one heading.
import { Converter, ReflectionKind } from 'typedoc';

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      // The constructors that errors have from JavaScript's Error.
      if (reflection.kindOf(ReflectionKind.Constructor) && reflection.inheritedFrom)
        project.removeReflection(reflection);
      delete reflection.implementationOf;
      const tags = reflection.comment?.blockTags ?? [];
      const [first, ...others] = tags.filter(({ tag }) => tag === '@throws');
      if (others.length === 0) continue;
      const item = ({ content }) => [{ kind: 'text', text: '- ' }, ...content, { kind: 'text', text: '\n' }];
      first.content = [first, ...others].flatMap(item);
      reflection.comment.blockTags = tags.filter((tag) => !others.includes(tag));
    }
  });
  app.renderer.on('endPage', (page) => {
    page.contents = page.contents?.replace(/^Defined in: \[(.*?)\]\((.*)\)$/gm, '<a class="source" href="$2">$1</a>');
  });
}
