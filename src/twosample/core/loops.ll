; Loops that would be several passes over memory in NumPy. Arrays are contiguous doubles.
; "reassoc contract": the order of a sum may change, as it may in BLAS; NaN and infinity keep their meaning.
; "nnan": there is no NaN.

declare double @llvm.fabs.f64(double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)

define internal double @size(double %a, double %b, i1 %absolute) alwaysinline {
  %difference = fsub double %a, %b
  %length = call double @llvm.fabs.f64(double %difference)
  %square = fmul double %difference, %difference
  %size = select i1 %absolute, double %length, double %square
  ret double %size
}

; Term i has the rows 2i and 2i + 1 of x and y, d numbers each. out is (4, terms): weight times the sums over all
; columns of the sizes of x1 - x2, y1 - y2, x1 - y2, x2 - y1; a size is absolute if kind is not 0, a square otherwise.
define void @four_sums(ptr noalias readonly %x, ptr noalias readonly %y, i64 %terms, i64 %d, double %weight,
                       i64 %kind, ptr noalias %out) {
start:
  %absolute = icmp ne i64 %kind, 0
  %some = icmp sgt i64 %terms, 0
  br i1 %some, label %term, label %end

term:
  %i = phi i64 [ 0, %start ], [ %next_i, %done ]
  %pairs = mul i64 %i, %d
  %at = shl i64 %pairs, 1
  %x1 = getelementptr double, ptr %x, i64 %at
  %x2 = getelementptr double, ptr %x1, i64 %d
  %y1 = getelementptr double, ptr %y, i64 %at
  %y2 = getelementptr double, ptr %y1, i64 %d
  br label %column

column:
  %j = phi i64 [ 0, %term ], [ %next_j, %column ]
  %xx = phi double [ 0.0, %term ], [ %xx_sum, %column ]
  %yy = phi double [ 0.0, %term ], [ %yy_sum, %column ]
  %xy = phi double [ 0.0, %term ], [ %xy_sum, %column ]
  %yx = phi double [ 0.0, %term ], [ %yx_sum, %column ]
  %x1_at = getelementptr double, ptr %x1, i64 %j
  %x2_at = getelementptr double, ptr %x2, i64 %j
  %y1_at = getelementptr double, ptr %y1, i64 %j
  %y2_at = getelementptr double, ptr %y2, i64 %j
  %x1_value = load double, ptr %x1_at
  %x2_value = load double, ptr %x2_at
  %y1_value = load double, ptr %y1_at
  %y2_value = load double, ptr %y2_at
  %xx_size = call double @size(double %x1_value, double %x2_value, i1 %absolute)
  %yy_size = call double @size(double %y1_value, double %y2_value, i1 %absolute)
  %xy_size = call double @size(double %x1_value, double %y2_value, i1 %absolute)
  %yx_size = call double @size(double %x2_value, double %y1_value, i1 %absolute)
  %xx_sum = fadd reassoc contract double %xx, %xx_size
  %yy_sum = fadd reassoc contract double %yy, %yy_size
  %xy_sum = fadd reassoc contract double %xy, %xy_size
  %yx_sum = fadd reassoc contract double %yx, %yx_size
  %next_j = add i64 %j, 1
  %more_columns = icmp slt i64 %next_j, %d
  br i1 %more_columns, label %column, label %done

done:
  %xx_at = getelementptr double, ptr %out, i64 %i
  %yy_at = getelementptr double, ptr %xx_at, i64 %terms
  %xy_at = getelementptr double, ptr %yy_at, i64 %terms
  %yx_at = getelementptr double, ptr %xy_at, i64 %terms
  %xx_out = fmul double %weight, %xx_sum
  %yy_out = fmul double %weight, %yy_sum
  %xy_out = fmul double %weight, %xy_sum
  %yx_out = fmul double %weight, %yx_sum
  store double %xx_out, ptr %xx_at
  store double %yy_out, ptr %yy_at
  store double %xy_out, ptr %xy_at
  store double %yx_out, ptr %yx_at
  %next_i = add i64 %i, 1
  %more_terms = icmp slt i64 %next_i, %terms
  br i1 %more_terms, label %term, label %end

end:
  ret void
}

; out is (4,): least, largest, and the sums of c and c * c for c = value - shift. At least one value.
define void @summary(ptr noalias readonly %values, i64 %count, double %shift, ptr noalias %out) {
start:
  %any = load double, ptr %values
  br label %number

number:
  %i = phi i64 [ 0, %start ], [ %next, %number ]
  %low = phi double [ %any, %start ], [ %lower, %number ]
  %high = phi double [ %any, %start ], [ %higher, %number ]
  %total = phi double [ 0.0, %start ], [ %more_total, %number ]
  %squares = phi double [ 0.0, %start ], [ %more_squares, %number ]
  %at = getelementptr double, ptr %values, i64 %i
  %value = load double, ptr %at
  %lower = call nnan nsz double @llvm.minnum.f64(double %low, double %value)
  %higher = call nnan nsz double @llvm.maxnum.f64(double %high, double %value)
  %c = fsub double %value, %shift
  %square = fmul double %c, %c
  %more_total = fadd reassoc contract double %total, %c
  %more_squares = fadd reassoc contract double %squares, %square
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %number, label %end

end:
  %high_at = getelementptr double, ptr %out, i64 1
  %total_at = getelementptr double, ptr %out, i64 2
  %squares_at = getelementptr double, ptr %out, i64 3
  store double %lower, ptr %out
  store double %higher, ptr %high_at
  store double %more_total, ptr %total_at
  store double %more_squares, ptr %squares_at
  ret void
}

; moments is (size, width): adds 1, u and, if width is 3, u * u to the row that holds value * scale - offset, where u is
; its distance from the middle of the row; u and u * u are rounded to multiples of 2^-30. What lies beyond the first or last row is put into the middle of it.
define void @bins(ptr noalias readonly %values, i64 %count, double %scale, double %offset, ptr noalias %moments,
                  i64 %size, i64 %width) {
start:
  %rows = sitofp i64 %size to double
  %last = fsub double %rows, 0.5
  %squared = icmp sgt i64 %width, 2
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %number, label %end

number:
  %i = phi i64 [ 0, %start ], [ %next, %done ]
  %at = getelementptr double, ptr %values, i64 %i
  %value = load double, ptr %at
  %scaled = fmul double %value, %scale
  %anywhere = fsub double %scaled, %offset
  %not_before = call nnan nsz double @llvm.maxnum.f64(double %anywhere, double 0.5)
  %place = call nnan nsz double @llvm.minnum.f64(double %not_before, double %last)
  %row = fptosi double %place to i64
  %edge = sitofp i64 %row to double
  %inside = fsub double %place, %edge
  %exactly = fsub double %inside, 0.5
  %lifted = fadd double %exactly, 6291456.0
  %u = fsub double %lifted, 6291456.0
  %row_at = mul i64 %row, %width
  %two_at = getelementptr double, ptr %moments, i64 %row_at
  %two = load <2 x double>, ptr %two_at, align 8
  %step = insertelement <2 x double> <double 1.0, double 0.0>, double %u, i64 1
  %more_two = fadd <2 x double> %two, %step
  store <2 x double> %more_two, ptr %two_at, align 8
  br i1 %squared, label %third, label %done

third:
  %third_at = getelementptr double, ptr %two_at, i64 2
  %exact_square = fmul double %u, %u
  %lifted_square = fadd double %exact_square, 6291456.0
  %square = fsub double %lifted_square, 6291456.0
  %squares = load double, ptr %third_at
  %more_squares = fadd double %squares, %square
  store double %more_squares, ptr %third_at
  br label %done

done:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %number, label %end

end:
  ret void
}
