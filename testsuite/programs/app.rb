# What the tests of ruby's probe points look at.
class Shape
  def initialize(side) = @side = side
  def area
    raise ArgumentError, "none" if @side < 0
    @side * @side
  end
end

# the outside oracle: `app.rb tell' prints what happens
trace = TracePoint.new(:call, :return, :raise) do |t|
  next if ARGV.empty? || t.path != __FILE__
  puts "#{t.event} #{t.event == :raise ? t.raised_exception.class : "#{t.defined_class} #{t.method_id}"} #{t.lineno}"
end
trace.enable
Shape.new(3).area
begin
  Shape.new(-1).area
rescue ArgumentError
end
trace.disable
require_relative "app_more"
GC.start
