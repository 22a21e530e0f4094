import { zodResolver } from '@hookform/resolvers/zod';
import { type ComponentProps, useEffect, useId, useRef, useState } from 'react';
import { Controller, type FieldPath, type Resolver, useForm } from 'react-hook-form';
import { Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import { Field, FormError } from '../../../kit/design/field';
import { type Message, serverMessage } from '../../../kit/design/message';
import type { Product } from '../../api/types';
import { maskPhone } from '../../design/phone';
import { PhoneInput } from '../../design/phone-input';
import { saidIn } from '../../design/said-in';
import { reviewTexts } from '../../texts/review';
import { useProfile } from '../customer/customer-queries';
import { afterFrame } from '../form/after-frame';
import { PhotoChoice } from './photo-choice';
import { usePostReview } from './review-commands';
import s from './review-dialog.module.css';
import { type ReviewForm, reviewSchema } from './review-schema';
import { StarChoice } from './star-choice';

const t = reviewTexts;

/** A popup to write a review in. Closing keeps what was written; a customer's name and addresses are filled in. */
export default function ReviewDialog({
  product,
  open,
  onClose,
}: {
  product: Product;
  open: boolean;
  onClose: () => void;
}) {
  const id = useId();
  const post = usePostReview();
  const thanks = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (post.isSuccess) thanks.current?.focus();
  }, [post.isSuccess]);
  return (
    <Dialog
      open={open}
      labelledBy={`${id}-title`}
      place="wide"
      onClose={() => {
        onClose();
        // What was thanked for is over: the next time the form is empty.
        if (post.isSuccess) post.reset();
      }}
    >
      {post.isSuccess ? (
        <div className={s.thanks}>
          <h2 id={`${id}-title`} ref={thanks} tabIndex={-1}>
            {t.thanks}
          </h2>
          <p>{post.data.is_shown ? t.shown : t.waits}</p>
          <Button data-close="">{t.close}</Button>
        </div>
      ) : (
        <>
          <h2 id={`${id}-title`} className={s.title}>
            {t.title}
          </h2>
          <p className={s.product} lang={saidIn(product, 'name')}>
            {[product.name, product.package_size].filter(Boolean).join(', ')}
          </p>
          <Form product={product.id} post={post} />
        </>
      )}
    </Dialog>
  );
}

function Form({ product, post }: { product: string; post: ReturnType<typeof usePostReview> }) {
  const profile = useProfile().data;
  const form = useForm<ReviewForm>({
    mode: 'onTouched',
    defaultValues: { rating: '', content: '', name: '', email: '', phone: '' },
    resolver: zodResolver(reviewSchema) as unknown as Resolver<ReviewForm>,
  });
  const { register, control, getValues, setValue, setError, setFocus, formState } = form;
  const { errors } = formState;
  const [photos, setPhotos] = useState<File[]>([]);
  const [problem, setProblem] = useState<{ photos?: Message; said?: Message }>({});

  useEffect(() => {
    if (!profile) return;
    const known = {
      name: profile.first_name,
      email: profile.email,
      phone: maskPhone(profile.info.phone),
    };
    for (const [name, value] of Object.entries(known)) {
      const field = name as keyof typeof known;
      if (!getValues(field)) setValue(field, value);
    }
  }, [profile, getValues, setValue]);

  const refused = (error: unknown) => {
    if (!(error instanceof Problem) || error.status >= 500) return setProblem({ said: t.failed });
    const { images, ...fields } = error.fields;
    const known = (Object.keys(getValues()) as FieldPath<ReviewForm>[]).filter((name) => fields[name]);
    for (const name of known) setError(name, serverMessage(fields[name]));
    if (known[0]) setFocus(known[0]);
    const ours = known.length > 0 || images ? undefined : t.failed;
    setProblem({
      photos: images && serverMessage(images),
      said: error.detail ? serverMessage(error.detail) : ours,
    });
  };

  const submit = form.handleSubmit((written) => {
    setProblem({});
    post.mutate({ product, form: written, photos }, { onError: refused });
  });

  const field = (
    name: 'name' | 'email',
    label: string,
    rest: ComponentProps<'input'> & { hint?: string },
  ) => {
    const { hint, ...input } = rest;
    return (
      <Field label={label} required hint={hint} error={errors[name]}>
        {(tied) => <input {...tied} {...input} {...register(name)} />}
      </Field>
    );
  };

  return (
    <form noValidate className={s.form} onSubmit={afterFrame(submit)}>
      <StarChoice error={errors.rating} {...register('rating')} />
      <Field label={t.content} required error={errors.content}>
        {(tied) => <textarea {...tied} rows={4} maxLength={5000} {...register('content')} />}
      </Field>
      <PhotoChoice photos={photos} onPhotos={setPhotos} error={problem.photos} />
      {field('name', t.name, { hint: t.nameHint, autoComplete: 'name', maxLength: 60 })}
      <div className={s.two}>
        {field('email', t.email, {
          type: 'email',
          inputMode: 'email',
          autoComplete: 'email',
          maxLength: 254,
        })}
        <Controller
          name="phone"
          control={control}
          render={({ field: input, fieldState }) => (
            <Field label={t.phone} required error={fieldState.error}>
              {(tied) => (
                <PhoneInput
                  {...tied}
                  name={input.name}
                  ref={input.ref}
                  value={input.value}
                  onValue={input.onChange}
                  onBlur={input.onBlur}
                />
              )}
            </Field>
          )}
        />
      </div>
      <p className={s.hint}>{t.contactHint}</p>
      <FormError>{problem.said}</FormError>
      <div className={s.row}>
        <Button kind="line" data-close="">
          {t.close}
        </Button>
        <Button type="submit" disabled={post.isPending}>
          {post.isPending ? t.sending : t.send}
        </Button>
      </div>
    </form>
  );
}
